import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { ITranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { speak } from '../core/words.js';
import type { Settings } from './protocol.js';
import { ENGLISH, speechFor } from './speech.js';
import type { Speech } from './speech.js';

const DEFAULTS = { hints: true, language: 'auto', speed: 1, rate: 20, history: 50 };

/** What the learner has chosen; the language is that of JupyterLab until one is. */
export class Preferences {
  readonly changed = new Signal<this, void>(this);
  speech: Speech = ENGLISH;
  private chosen = DEFAULTS;
  private own: Partial<Settings> = {};
  private registered: ISettingRegistry.ISettings | null = null;

  constructor(private readonly translator: ITranslator | null) {}

  get speed(): number {
    return this.chosen.speed;
  }

  get hints(): boolean {
    return this.chosen.hints;
  }

  /** What a kernel is told: only what was chosen, because Python may have been told otherwise. */
  forKernel = (): Partial<Settings> => this.own;

  async load(registry: ISettingRegistry | null, plugin: string): Promise<void> {
    this.registered = (await registry?.load(plugin).catch(() => null)) ?? null;
    this.registered?.changed.connect(() => void this.read());
    await this.read();
  }

  async setHints(hints: boolean): Promise<void> {
    await this.registered?.set('hints', hints);
  }

  private async read(): Promise<void> {
    const { registered } = this;
    this.chosen = { ...DEFAULTS, ...(registered?.composite as object | undefined) };
    this.speech = await speechFor(this.chosen.language, this.translator);
    speak(this.speech.words);
    const { language, ...own } = (registered?.user ?? {}) as Partial<Settings>;
    const foreign = this.speech.language !== 'en' || (language && language !== 'auto');
    this.own = { ...own, ...(foreign ? { language: this.speech.language } : {}) };
    this.changed.emit();
  }
}

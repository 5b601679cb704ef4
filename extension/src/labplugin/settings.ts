import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { ITranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { speak } from '../core/words.js';
import type { Settings } from './protocol.js';
import { ENGLISH, speechFor } from './translation.js';
import type { Speech } from './translation.js';

/** What is set here: for kernels, and for this page alone. */
interface Chosen extends Settings {
  readonly annotations: boolean;
}

const DEFAULTS: Chosen = {
  hints: true,
  language: 'auto',
  speed: 1,
  rate: 20,
  history: 50,
  annotations: false,
};

type Name = keyof Settings;

/** What the learner has chosen; the language is that of JupyterLab until one is. */
export class Preferences {
  /** Something was set: what of it a kernel should know. */
  readonly changed = new Signal<this, Partial<Settings>>(this);
  speech: Speech = ENGLISH;
  private chosen = DEFAULTS;
  private registered: ISettingRegistry.ISettings | null = null;

  constructor(private readonly translator: ITranslator | null) {}

  get speed(): number {
    return this.chosen.speed;
  }

  /** Whether an Explorer shows its steps in the cell above it. */
  get annotations(): boolean {
    return this.chosen.annotations;
  }

  get hints(): boolean {
    return this.chosen.hints;
  }

  /**
   * The settings sent to a new kernel: only what the learner changed, because Python may have set
   * others. The settings editor writes down all as soon as one is changed.
   */
  forKernel = (): Partial<Settings> => this.since(DEFAULTS, 'en');

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
    const now = { ...DEFAULTS, ...(registered?.composite as object | undefined) };
    const speech = await speechFor(now.language, this.translator);
    const [before, spoken] = [this.chosen, this.speech.language];
    [this.chosen, this.speech] = [now, speech];
    speak(speech.words);
    this.changed.emit(this.since(before, spoken));
  }

  /** What is set otherwise than before; the language by its name, also that of JupyterLab. */
  private since(before: Settings, spoken: string): Partial<Settings> {
    const { language, annotations: _, ...now } = this.chosen;
    const changed = Object.entries(now).filter(([name, value]) => value !== before[name as Name]);
    const isNew = language !== before.language || this.speech.language !== spoken;
    return {
      ...(Object.fromEntries(changed) as Partial<Settings>),
      ...(isNew ? { language: this.speech.language } : {}),
    };
  }
}

import type { ITranslator } from '@jupyterlab/translation';
import type { Catalogue } from '../core/words.js';

export interface Speech {
  /** As HTML names it: `zh-CN`. */
  readonly language: string;
  readonly words: Catalogue | undefined;
}

type Loader = () => Promise<{ default: Catalogue }>;

const SHIPPED: Readonly<Record<string, Loader>> = {
  he: () => import('./languages/he.js') as Promise<{ default: Catalogue }>,
  'zh-CN': () => import('./languages/zh_CN.js') as Promise<{ default: Catalogue }>,
};

export const ENGLISH: Speech = { language: 'en', words: undefined };

/** What the language packs of JupyterLab say, sentence by sentence. */
function ofLanguagePack(translator: ITranslator): Catalogue {
  const bundle = translator.load('tapelab');
  return new Proxy({} as Catalogue, {
    get: (_, template) => {
      if (typeof template !== 'string') return undefined;
      const translation = bundle.__(template);
      return translation === template ? undefined : translation;
    },
  });
}

/** How to speak the chosen language; `auto` is that of JupyterLab. */
export async function speechFor(chosen: string, translator: ITranslator | null): Promise<Speech> {
  const language = (chosen === 'auto' ? (translator?.languageCode ?? 'en') : chosen).replace(
    '_',
    '-',
  );
  const shipped = SHIPPED[language];
  if (shipped) return { language, words: (await shipped()).default };
  return translator && chosen === 'auto' && !language.startsWith('en')
    ? { language, words: ofLanguagePack(translator) }
    : { language, words: undefined };
}

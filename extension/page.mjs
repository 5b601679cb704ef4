// The script of an exported page, and the parts that only some pages need: a page brings along
// what is in it. A part finds the modules that it shares with the script where the script put them.
import { bundle, here } from './bundle.mjs';
import { transform } from 'esbuild';
import { basename, join } from 'node:path';

export const PARTS = ['film', 'tensors', 'whatif', 'why'];

/** Where the script leaves its modules for the parts. */
const SHARED = 'tapelab.modules';
const IMPORT = /^import (?:\{([^}]*)\} from )?"\.\/(chunk-[^"]+)";$/gm;

/** The script and each part as minified code, by their names. */
export async function bundlePage() {
  const { outputFiles, metafile } = await bundle({
    entryPoints: ['index', ...PARTS].map((name) => `src/standalone/${name}.ts`),
    outdir: 'page',
    chunkNames: 'chunk-[hash]',
    format: 'esm',
    splitting: true,
    write: false,
    metafile: true,
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const importsOf = (name) =>
    metafile.outputs[`page/${name}`].imports.map(({ path }) => basename(path));
  const own = new Set(['index.js']);
  for (const name of own) importsOf(name).forEach((chunk) => own.add(chunk));
  const chunks = [...own].slice(1);

  const code = { standalone: await bundleScript(texts, chunks) };
  for (const part of PARTS) {
    const foreign = importsOf(`${part}.js`).filter((name) => !own.has(name));
    if (foreign.length)
      throw new Error(`Only parts share a module of ${part}: import it in the script.`);
    const linked = texts.get(`${part}.js`).replace(IMPORT, (_, names, chunk) => {
      if (!names) return '';
      const bindings = names.replaceAll(' as ', ': ');
      return `const {${bindings}} = ${SHARED}[${chunks.indexOf(chunk)}];`;
    });
    const minified = await transform(linked, { format: 'iife', minify: true, charset: 'utf8' });
    if (/\brequire\(/.test(minified.code)) throw new Error(`${part} imports what is not linked.`);
    code[part] = minified.code;
  }
  return code;
}

/** The script as one piece; its modules stay within reach. */
async function bundleScript(texts, chunks) {
  const all = chunks.map((chunk, at) => `import * as m${at} from "./${chunk}";`).join('');
  const modules = chunks.map((_, at) => `m${at}`).join();
  const inMemory = {
    name: 'in-memory',
    setup(context) {
      context.onResolve({ filter: /^\.\// }, ({ path }) => ({
        path: basename(path),
        namespace: 'page',
      }));
      context.onLoad({ filter: /./, namespace: 'page' }, ({ path }) => ({
        contents: texts.get(path),
      }));
    },
  };
  const { outputFiles } = await bundle({
    stdin: { contents: `${all}import "./index.js";${SHARED}=[${modules}]`, resolveDir: here },
    plugins: [inMemory],
    format: 'iife',
    minify: true,
    write: false,
  });
  return outputFiles[0].text;
}

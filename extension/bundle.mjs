// One way to bundle, shared by the build and by the tests.
import { build, transform } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const here = fileURLToPath(new URL('.', import.meta.url));

const BROWSERS = ['chrome117', 'firefox117', 'safari17'];

/** Style sheets become minified strings: the renderer carries its own style wherever it goes. */
const stylesAsText = {
  name: 'styles-as-text',
  setup(context) {
    context.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const { code } = await transform(source, { loader: 'css', minify: true, target: BROWSERS });
      return { contents: `export default ${JSON.stringify(code.trim())};`, loader: 'js' };
    });
  },
};

export function bundle(options) {
  return build({
    absWorkingDir: here,
    bundle: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [stylesAsText],
    target: BROWSERS,
    ...options,
  });
}

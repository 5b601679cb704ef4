// Build the extension of JupyterLab: our bundler for the sources, JupyterLab's for what loads them.
import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundle, here } from './bundle.mjs';

const { resolve } = createRequire(import.meta.url);
const outdir = join(here, 'lib');
const read = async (path) => JSON.parse(await readFile(path, 'utf8'));

await rm(outdir, { recursive: true, force: true });
await bundle({
  entryPoints: ['src/labplugin/index.ts'],
  outdir,
  format: 'esm',
  splitting: true,
  chunkNames: '[name]',
  packages: 'external',
  minify: true,
});

// What JupyterLab brings is taken from the oldest version on that we name, not from its newest.
const core = await read(resolve('@jupyterlab/core-meta/core.package.json'));
const { dependencies } = await read(join(here, 'package.json'));
const shared = join(outdir, 'core.package.json');
await writeFile(
  shared,
  JSON.stringify({ ...core, resolutions: { ...core.resolutions, ...dependencies } }),
);

const builder = resolve('@jupyter/builder/lib/build-labextension.js');
const run = spawnSync(process.execPath, [builder, '--core-package-file', shared, here], {
  encoding: 'utf8',
});
if (run.status !== 0) console.error(run.stdout + run.stderr);
process.exitCode = run.status ?? 1;

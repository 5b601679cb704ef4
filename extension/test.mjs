// Bundle the tests, then run them with Node's own test runner: all in one process.
import { bundle, here } from './bundle.mjs';
import { spawnSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const chosen = process.argv.slice(2);
const files = (await readdir(join(here, 'test'))).filter((name) => name.endsWith('.test.ts'));
const wanted = files.filter((name) => !chosen.length || chosen.some((part) => name.includes(part)));
if (!wanted.length) throw new Error(`No test file matches ${chosen.join(' ')}.`);

// A folder for each run: two that run at the same time build two.
const outdir = join(here, `.test-build-${process.pid}`);
await bundle({
  entryPoints: wanted.map((name) => `test/${name}`),
  outdir,
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  packages: 'external',
  platform: 'node',
  target: 'node20',
  sourcemap: 'inline',
  sourcesContent: false,
});
// Each file is a bundle with a state of its own; what they share is Node and its packages.
const imports = (await readdir(outdir)).map((name) => `import './${name}';\n`);
const all = join(outdir, 'all.mjs');
await writeFile(all, imports.join(''));
const run = spawnSync(process.execPath, ['--enable-source-maps', all], { stdio: 'inherit' });
await rm(outdir, { recursive: true, force: true });
process.exitCode = run.status ?? 1;

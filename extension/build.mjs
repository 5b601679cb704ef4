// Build the two bundles that tapelab ships. The same sources give the same bytes.
//
// A notebook stores the widget once per output, so each bundle travels compressed and unpacks
// itself in the page; the compressor is a pinned package, because Node's own differs by version.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'fflate';
import { bundle, here } from './bundle.mjs';

const STATIC = join(here, '..', 'tapelab', 'static');
const LIMIT = 60_000;

const UNPACK =
  'new Response(new Blob([Uint8Array.from(atob(packed),c=>c.charCodeAt(0))]).stream()' +
  '.pipeThrough(new DecompressionStream("gzip"))).text()';

const AS_MODULE = (packed) =>
  `const packed="${packed}";const text=await ${UNPACK};` +
  'const url=URL.createObjectURL(new Blob([text],{type:"text/javascript"}));' +
  'export default (await import(url)).default;URL.revokeObjectURL(url);\n';

const AS_SCRIPT = (packed) =>
  `(packed=>${UNPACK}.then(text=>{const script=document.createElement("script");` +
  `script.textContent=text;document.head.append(script)}))("${packed}");\n`;

const BUNDLES = [
  { entry: 'src/widget/index.ts', file: 'widget.js', format: 'esm', wrap: AS_MODULE },
  { entry: 'src/standalone/index.ts', file: 'standalone.js', format: 'iife', wrap: AS_SCRIPT },
];

await mkdir(STATIC, { recursive: true });
for (const { entry, file, format, wrap } of BUNDLES) {
  const built = await bundle({ entryPoints: [entry], write: false, format, minify: true });
  const code = built.outputFiles[0].contents;
  const packed = Buffer.from(gzipSync(code, { level: 9, mem: 12, mtime: 0 })).toString('base64');
  const text = `// tapelab's front-end, built from extension/: do not edit.\n${wrap(packed)}`;
  if (text.length > LIMIT) throw new Error(`${file} has ${text.length} bytes, ${LIMIT} at most.`);
  await writeFile(join(STATIC, file), text);
  console.log(`${file}: ${text.length} bytes, unpacked ${code.length}`);
}

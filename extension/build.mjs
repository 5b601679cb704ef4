// Build the two bundles that tapelab ships. The same sources give the same bytes.
//
// A notebook stores the widget once per output, so each bundle travels compressed and unpacks
// itself in the page; the compressor is a pinned package, because Node's own differs by version.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import zopfli from '@gfx/zopfli';
import { transform } from 'esbuild';
import { bundle, here } from './bundle.mjs';
import { pack } from './packing.mjs';
import { unpack as unpackSorted } from './unpacking.mjs';

const STATIC = join(here, '..', 'tapelab', 'static');

/** Five letters for four bytes, none of which a string, a page or a notebook has to escape. */
function lettersFor(bytes) {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  let letters = '';
  for (let at = 0; at < padded.length; at += 4) {
    let group = '';
    for (let digits = view.getUint32(at), left = 5; left--; digits = Math.floor(digits / 85)) {
      group = letterFor(digits % 85) + group;
    }
    letters += group;
  }
  return letters;
}

const ESCAPED = { '<': '!', '>': '#', '\\': '$' };
const letterFor = (digit) => {
  const letter = String.fromCharCode(digit + 40);
  return ESCAPED[letter] ?? letter;
};

/**
 * Unpacks `packed` in the page; what fills up its last four bytes is left out. Nothing in it waits
 * for another process, as a blob would.
 */
const unpack = (size) =>
  'new Response(new Response((s=>{const d=new DataView(new ArrayBuffer(s.length*4/5));' +
  'for(let i=0,n=0;i<s.length;n=++i%5?n:0){const c=s.charCodeAt(i);' +
  'n=n*85+(c>36?c:c<34?60:c<36?62:92)-40;if(i%5>3)d.setUint32((i-4)*4/5,n)}' +
  `return new Uint8Array(d.buffer,0,${size})})(packed)).body` +
  '.pipeThrough(new DecompressionStream("deflate-raw"))).text()';

/**
 * Unpacks when a view is asked for: a front-end gives up on a module that is not there at once,
 * and a page that is busy with something else would be too late.
 */
const AS_MODULE = (packed, text) =>
  `const packed="${packed}";let made;const open=()=>made??=${text}.then(async text=>{` +
  'const url=URL.createObjectURL(new Blob([text],{type:"text/javascript"}));' +
  'const {default:widget}=await import(url);URL.revokeObjectURL(url);return widget});' +
  'export default{initialize(given){let stop,over;' +
  'open().then(widget=>{if(!over)stop=widget.initialize(given)});' +
  'return()=>{over=1;stop?.()}},render:async given=>(await open()).render(given)}\n';

/** A widget opens while somebody waits: the browser itself unpacks it. */
async function asModule(code) {
  const packed = await zopfli.deflateAsync(code, { numiterations: 15 });
  return AS_MODULE(lettersFor(packed), unpack(packed.length));
}

/** A page brings everything along, in the least room: our own code unpacks it. */
async function asScript(code) {
  const { packed, whole } = pack(code);
  const [letters, source] = [
    lettersFor(packed),
    await readFile(join(here, 'unpacking.mjs'), 'utf8'),
  ];
  if (unpackSorted(letters, code.length, whole) !== asItIs(code)) throw new Error('Packed amiss.');
  const unpacking = await transform(source.replace('export function', 'function'), {
    minifyWhitespace: true,
    minifySyntax: true,
  });
  return (
    `(()=>{${unpacking.code.trim()}const script=document.createElement("script");` +
    `script.textContent=unpack("${letters}",${code.length},${whole});` +
    'document.head.append(script)})();\n'
  );
}

const asItIs = (code) => new TextDecoder().decode(code);

/** A notebook keeps a widget for every output; a page is at most 80 kB; extras are kept nowhere. */
const BUNDLES = [
  { name: 'widget', format: 'esm', wrap: asModule, limit: 60_000 },
  { name: 'standalone', format: 'iife', wrap: asScript, limit: 79_000 },
  { name: 'extras', format: 'esm', wrap: asItIs, limit: 90_000 },
];

await mkdir(STATIC, { recursive: true });
for (const { name, format, wrap, limit } of BUNDLES) {
  const entryPoints = [`src/${name}/index.ts`];
  const built = await bundle({ entryPoints, write: false, format, minify: true });
  const code = built.outputFiles[0].contents;
  const body = await wrap(code);
  const text = `// tapelab's front-end, built from extension/: do not edit.\n${body}`;
  if (text.length > limit) {
    console.error(`${name}.js has ${text.length} bytes, ${limit} at most.`);
    process.exitCode = 1;
    continue;
  }
  await writeFile(join(STATIC, `${name}.js`), text);
  console.log(`${name}.js: ${text.length} bytes, unpacked ${code.length}`);
}

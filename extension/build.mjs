// Build the bundles that tapelab ships. The same sources give the same bytes.
//
// A notebook stores the widget once per output, so each bundle travels compressed and unpacks
// itself in the page; the compressor is a pinned package, because Node's own differs by version.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import zopfli from '@gfx/zopfli';
import { transform } from 'esbuild';
import { bundle, here } from './bundle.mjs';
import { pack } from './packing.mjs';
import { bundlePage } from './page.mjs';
import { unpack as unpackSorted } from './unpacking.mjs';

const STATIC = join(here, '..', 'tapelab', 'static');

/** All of ASCII that can be seen, but for what a string or a page has to escape. */
const LETTERS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(
  (letter) => !'"&<\\'.includes(letter),
);

/** Two letters for every thirteen bits, the lowest first: 91 letters make just enough pairs. */
function lettersFor(bytes) {
  let letters = '';
  let [held, bits] = [0, 0];
  const write = () => {
    const pair = held & 8191;
    letters += LETTERS[pair % 91] + LETTERS[Math.floor(pair / 91)];
    held >>>= 13;
    bits -= 13;
  };
  for (const byte of bytes) {
    held |= byte << bits;
    bits += 8;
    if (bits >= 13) write();
  }
  if (bits > 0) write();
  return letters;
}

/** Unpacks `packed` in the page. Nothing in it waits for another process, as a blob would. */
const unpack = (size) =>
  `new Response(new Response((s=>{const b=new Uint8Array(${size}),` +
  'd=i=>(i=s.charCodeAt(i))-32-(i>34)-(i>38)-(i>60)-(i>92);' +
  'for(let i=0,n=0,m=0,a=0;i<s.length;i+=2)' +
  'for(n|=d(i)+d(i+1)*91<<m,m+=13;m>7;m-=8,n>>>=8)b[a++]=n;' +
  'return b})(packed)).body.pipeThrough(new DecompressionStream("deflate-raw"))).text()';

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

/** Extras are asked for by whoever has time: they unpack as they are loaded. */
const AS_EXTRAS = (packed, text) =>
  `const packed="${packed}";` +
  `const url=URL.createObjectURL(new Blob([await ${text}],{type:"text/javascript"}));` +
  'export default(await import(url)).default;URL.revokeObjectURL(url)\n';

/** Somebody waits for a module: the browser itself unpacks it. */
const deflated = (wrap) => async (code) => {
  const packed = await zopfli.deflateAsync(code, { numiterations: 15 });
  return wrap(lettersFor(packed), unpack(packed.length));
};

/** A page brings along what is in it, in the least room: our own code unpacks it. */
function packed(code) {
  const bytes = new TextEncoder().encode(code);
  const { letters, whole } = pack(bytes);
  if (unpackSorted(letters, bytes.length, whole) !== code) throw new Error('Packed amiss.');
  return `tapelab.load("${letters}",${bytes.length},${whole});`;
}

/** The script of a page can load what is packed, itself first. */
async function asScript(code) {
  const source = await readFile(join(here, 'unpacking.mjs'), 'utf8');
  const unpacking = await transform(source.replace('export function', 'function'), {
    minifyWhitespace: true,
    minifySyntax: true,
  });
  return (
    `globalThis.tapelab={load:(()=>{${unpacking.code.trim()}return(...packed)=>{` +
    'const script=document.createElement("script");script.textContent=unpack(...packed);' +
    `document.head.append(script)}})()};\n${packed(code)}\n`
  );
}

const HEAD = "// tapelab's front-end, built from extension/: do not edit.\n";

async function write(name, body, limit, size) {
  const text = HEAD + body;
  if (text.length > limit) {
    console.error(`${name}.js has ${text.length} bytes, ${limit} at most.`);
    process.exitCode = 1;
    return;
  }
  await writeFile(join(STATIC, `${name}.js`), text);
  console.log(`${name}.js: ${text.length} bytes, unpacked ${size}`);
}

/** A notebook keeps a widget for every output. */
const MODULES = [
  { name: 'widget', wrap: AS_MODULE },
  { name: 'extras', wrap: AS_EXTRAS },
];
/** Bytes of a bundle; those of an exported page are the script's and those of its parts. */
const LIMIT = 90_000;
const PART_LIMIT = 18_000;

await mkdir(STATIC, { recursive: true });
for (const { name, wrap } of MODULES) {
  const entryPoints = [`src/${name}/index.ts`];
  const built = await bundle({ entryPoints, write: false, format: 'esm', minify: true });
  const code = built.outputFiles[0].contents;
  await write(name, await deflated(wrap)(code), LIMIT, code.length);
}
const { standalone, ...parts } = await bundlePage();
await write('standalone', await asScript(standalone), LIMIT, standalone.length);
for (const [part, code] of Object.entries(parts))
  await write(`standalone-${part}`, `${packed(code)}\n`, PART_LIMIT, code.length);

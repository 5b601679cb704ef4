import { CELL_MESSAGE, LINE_MESSAGE } from '../core/cellcode.js';
import type { CellHeight, CellPort } from '../core/cellcode.js';

/** The page around a frame may show the code of the only picture in it in the cell above. */
export function framePort(): CellPort | null {
  const { parent } = window;
  const only = document.querySelectorAll('script.tapelab-recording, script.tapelab-film');
  if (parent === window || only.length > 1) return null;
  return {
    show: (line) => parent.postMessage({ type: LINE_MESSAGE, line }, '*'),
    listen: (listener) => {
      const receive = ({ source, data }: MessageEvent<{ type?: string; height: CellHeight }>) => {
        if (source === parent && data?.type === CELL_MESSAGE) listener(data.height);
      };
      window.addEventListener('message', receive);
      return () => window.removeEventListener('message', receive);
    },
  };
}

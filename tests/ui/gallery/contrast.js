// Marks and words of the graphs with too little contrast to what is behind them, as sentences.
() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const seen = new Map();
  /** Red, green, blue and opacity of any colour that a style sheet can name. */
  const rgb = (colour) => {
    if (!seen.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      seen.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return seen.get(colour);
  };
  const light = (colour) => {
    const [r, g, b] = rgb(colour).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const visible = (colour) => colour !== 'none' && rgb(colour)[3] > 127;
  /** What is behind a word: the filled shape drawn before it in its group, else the surface. */
  const behind = (text, surface) => {
    for (let before = text.previousElementSibling; before; before = before.previousElementSibling) {
      const fill = getComputedStyle(before).fill;
      const box = before.getBoundingClientRect();
      const at = text.getBoundingClientRect();
      const covers = box.left <= at.left + 1 && box.right >= at.right - 1 && box.top <= at.top + 4;
      if (covers && /rect|circle/.test(before.tagName) && visible(fill) && !/url/.test(fill)) return fill;
    }
    return surface;
  };
  const found = new Set();
  for (const root of document.querySelectorAll('.tl')) {
    const scene = root.closest('section').id;
    const surface = getComputedStyle(root).backgroundColor;
    const tell = (mark, colour, back, least) => {
      const is = contrast(colour, back);
      if (is < least) found.add(`${scene}: ${mark.getAttribute('class')} has ${is.toFixed(2)}, ${least} is the least`);
    };
    for (const mark of root.querySelectorAll('.stage .box, .stage .ed:not(.flow), .stage .ah, .plus circle, .slot.none rect, .slot.zero rect, .curve, .tangent')) {
      const { stroke, fill } = getComputedStyle(mark);
      const colour = visible(stroke) ? stroke : fill;
      if (visible(colour)) tell(mark, colour, surface, 3);
    }
    for (const text of root.querySelectorAll('.stage text, .plots text')) {
      if (text.textContent) tell(text, getComputedStyle(text).fill, behind(text, surface), 4.5);
    }
  }
  return [...found];
}

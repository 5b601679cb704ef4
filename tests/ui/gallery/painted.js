// Of a graph that is painted: how many colours of the theme are in it, and which stand out too little.
() => {
  const graph = document.querySelector('#j canvas');
  const style = getComputedStyle(graph);
  const one = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgb = (colour) => {
    one.fillStyle = colour;
    one.fillRect(0, 0, 1, 1);
    return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const surface = light(rgb(style.getPropertyValue('--surface')));
  const { data } = graph.getContext('2d').getImageData(0, 0, graph.width, graph.height);
  const seen = new Map();
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] < 255) continue;
    const colour = `${data[at]},${data[at + 1]},${data[at + 2]}`;
    seen.set(colour, (seen.get(colour) ?? 0) + 1);
  }
  const pale = [];
  const found = new Set();
  // Marks need a contrast of 3, words one of 4.5.
  for (const [token, least] of [['v', 3], ['g', 3], ['w', 3], ['n', 3], ['mark', 3], ['v-text', 4.5], ['g-text', 4.5], ['ink', 4.5]]) {
    const colour = rgb(style.getPropertyValue(`--${token}`));
    if (!seen.has(colour.join())) continue;
    found.add(colour.join());
    const [low, high] = [light(colour), surface].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < least) pale.push(`${token} has ${contrast.toFixed(2)}, ${least} is the least`);
  }
  return { colours: found.size, pale };
}

/** A value that a container of the page holds as JSON, by its kind. */
export function readJson<Kind>(container: Element, kind: string): Kind | null {
  const text = container.querySelector(`script.tapelab-${kind}`)?.textContent;
  return text ? (JSON.parse(text) as Kind) : null;
}

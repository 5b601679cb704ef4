/** Copy by selecting, for pages that may not write to the clipboard, such as a sandboxed frame. */
function copyBySelecting(root: HTMLElement, text: string): boolean {
  const page = root.ownerDocument;
  const field = page.createElement('textarea');
  field.value = text;
  field.className = 'sr';
  const focused = (root.getRootNode() as Document | ShadowRoot).activeElement;
  root.append(field);
  field.select();
  const copied = page.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}

/** Put a text on the clipboard; says whether it got there. */
export async function copyText(root: HTMLElement, text: string): Promise<boolean> {
  try {
    await root.ownerDocument.defaultView!.navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelecting(root, text);
  }
}

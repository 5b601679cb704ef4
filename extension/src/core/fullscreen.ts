/** Shows the Explorer on the whole screen and back, where the page allows it. */
export class FullScreen {
  constructor(
    private readonly root: HTMLElement,
    changed: () => void,
  ) {
    root.addEventListener('fullscreenchange', changed);
  }

  /** Whether this page may use the whole screen: a frame needs the permission of the page around it. */
  get isAllowed(): boolean {
    return this.root.ownerDocument.fullscreenEnabled;
  }

  get isOn(): boolean {
    const { fullscreenElement } = this.root.getRootNode() as Document | ShadowRoot;
    return fullscreenElement === this.root;
  }

  readonly toggle = (): void => {
    if (this.isOn) void this.root.ownerDocument.exitFullscreen();
    else if (this.isAllowed) void this.root.requestFullscreen();
  };

  /** `e` enlarges and reduces, Escape reduces; says whether the key was used. */
  handleKey(event: KeyboardEvent): boolean {
    const typing = (event.composedPath()[0] as Element).closest('input, select, textarea');
    const toggles = event.key === 'e' && !typing && this.isAllowed;
    const used = toggles || (event.key === 'Escape' && this.isOn);
    if (!used || event.ctrlKey || event.metaKey || event.altKey) return false;
    this.toggle();
    return true;
  }
}

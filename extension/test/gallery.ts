// The Tape panel in the gallery: what a kernel sent, drawn as JupyterLab draws it.
import { NOTHING_YET, withMessage } from '../src/core/live.js';
import type { LiveActions, LiveMessage, LiveState } from '../src/core/live.js';
import { mount } from '../src/core/livepanel.js';

const nothing = (): void => {};

function show(place: HTMLElement): void {
  const message = JSON.parse(place.querySelector('script')!.textContent!) as LiveMessage | null;
  const chosen = Number(place.dataset['step']) || null;
  let state: LiveState = message ? { ...withMessage(NOTHING_YET, message), chosen } : NOTHING_YET;
  const actions: LiveActions = {
    pause: () => update((state = { ...state, paused: !state.paused })),
    choose: (step) => update((state = { ...state, chosen: step })),
    point: (focus) => update((state = { ...state, focus })),
    open: nothing,
    explain: nothing,
    goTo: nothing,
    example: nothing,
  };
  const update = mount(place, state, { actions });
}

document.querySelectorAll<HTMLElement>('.live').forEach(show);

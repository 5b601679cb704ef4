import assert from 'node:assert/strict';
import test from 'node:test';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';
import type { Settings } from '../src/labplugin/protocol.js';
import { Preferences } from '../src/labplugin/settings.js';

const SHIPPED = { hints: true, language: 'auto', speed: 1, rate: 20, history: 50 };

/** A registry whose file holds what the settings editor would write there. */
function aRegistry() {
  const owner = {};
  const held = { composite: { ...SHIPPED } as Record<string, unknown>, user: {} };
  const changed = new Signal<object, void>(owner);
  const plugin = { changed, ...held, set: async () => {} };
  const registry = { load: async () => plugin } as unknown as ISettingRegistry;
  const write = async (chosen: object): Promise<void> => {
    // All of them, because that is what the editor does.
    plugin.composite = { ...plugin.composite, ...chosen };
    plugin.user = plugin.composite;
    changed.emit();
    await new Promise((done) => setTimeout(done, 0));
  };
  return { registry, write };
}

async function loaded(language = 'en') {
  const { registry, write } = aRegistry();
  const preferences = new Preferences({ languageCode: language } as never);
  const received: Partial<Settings>[] = [];
  preferences.changed.connect((_, changed) => received.push(changed));
  await preferences.load(registry, 'tapelab:plugin');
  return { preferences, write, received };
}

test('who changed nothing tells a kernel nothing', async () => {
  const { preferences, received } = await loaded();
  assert.deepEqual([preferences.forKernel(), received], [{}, [{}]]);
});

test('only what was changed is told, then and to kernels met later', async () => {
  const { preferences, write, received } = await loaded();
  await write({ history: 7 });
  await write({ speed: 2 });
  assert.deepEqual(received.slice(1), [{ history: 7 }, { speed: 2 }]);
  assert.deepEqual(preferences.forKernel(), { history: 7, speed: 2 });
});

test('what is set back is told once more, and not to kernels met later', async () => {
  const { preferences, write, received } = await loaded();
  await write({ hints: false });
  await write({ hints: true });
  assert.deepEqual(received.slice(1), [{ hints: false }, { hints: true }]);
  assert.deepEqual(preferences.forKernel(), {});
});

test('a kernel speaks the language of JupyterLab, or the one that was chosen', async () => {
  const { preferences, write, received } = await loaded('zh-CN');
  assert.deepEqual(
    [preferences.forKernel(), received],
    [{ language: 'zh-CN' }, [{ language: 'zh-CN' }]],
  );
  await write({ language: 'he' });
  assert.deepEqual(received.at(-1), { language: 'he' });
  await write({ language: 'auto' });
  assert.deepEqual(received.at(-1), { language: 'zh-CN' });
});

test('what is set for this page alone no kernel is told', async () => {
  const { preferences, write, received } = await loaded();
  await write({ annotations: true });
  assert.equal(preferences.annotations, true);
  assert.deepEqual([preferences.forKernel(), received.at(-1)], [{}, {}]);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Kernel } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { Connection } from '../src/labplugin/connection.js';
import type { Answer } from '../src/labplugin/connection.js';

const LIVE = {
  is: 'live',
  running: true,
  run: 1,
  target: 'loss',
  tape: null,
  step: 1,
  calls: 1,
  loss: 1,
  history: [[1, 1, []]],
  variables: [],
  findings: [],
};

/** A kernel of which only the line to tapelab is there. */
function aKernel(language = 'python', hasTapelab = true) {
  const owner = {};
  const sent: unknown[] = [];
  const queries: boolean[] = [];
  const opened: Kernel.IComm[] = [];
  const signals = {
    statusChanged: new Signal<object, string>(owner),
    connectionStatusChanged: new Signal<object, string>(owner),
    disposed: new Signal<object, void>(owner),
  };
  const createComm = () => {
    const comm = {
      isDisposed: false,
      open: (data: unknown) => sent.push(data),
      send: (data: unknown) => sent.push(data),
      close: () => sent.push('close'),
      dispose: () => (comm.isDisposed = true),
    };
    opened.push(comm as unknown as Kernel.IComm);
    return comm;
  };
  const kernel = {
    ...signals,
    isDisposed: false,
    info: Promise.resolve({ language_info: { name: language } }),
    createComm,
    status: 'idle',
    username: 'me',
    clientId: 'page',
    sendControlMessage: () => {
      queries.push(kernel.there);
      const comms = kernel.there ? { 'tapelab.live': {} } : {};
      return { done: Promise.resolve({ content: { comms } }) };
    },
    there: hasTapelab,
  };
  const send = (data: object, buffers: ArrayBuffer[] = []): void =>
    void opened.at(-1)!.onMsg({ content: { data }, buffers } as never);
  const connection = new Connection(kernel as never);
  return { connection, kernel, queries, sent, send, opened, ...signals };
}

const later = (pause: number): Promise<void> => new Promise((done) => setTimeout(done, pause));
const settled = (): Promise<void> => later(0);

async function greeted() {
  const all = aKernel();
  all.connection.show(true);
  await settled();
  all.send({ is: 'hello', version: 1, tapelab: '0.1' });
  return all;
}

test('nothing is said to a kernel as long as nobody looks', async () => {
  const { connection, sent, opened } = aKernel();
  await settled();
  assert.deepEqual([sent, opened], [[], []]);
  assert.equal(connection.state.link, 'waiting');
  connection.dispose();
});

test('who looks is greeted, and then told', async () => {
  const { connection, sent, send } = await greeted();
  assert.deepEqual(sent, [{ version: 1 }, { do: 'show' }]);
  send(LIVE);
  assert.deepEqual([connection.state.link, connection.state.now?.step], ['open', 1]);
  connection.dispose();
});

test('who looks away says so, and hears nothing of what is still on its way', async () => {
  const { connection, sent, send } = await greeted();
  connection.show(false);
  assert.deepEqual(sent.at(-1), { do: 'hide' });
  send(LIVE);
  assert.equal(connection.state.now, null);
  connection.dispose();
});

test('what is asked before the greeting is asked after it', async () => {
  const { connection, sent, send } = aKernel();
  connection.show(true);
  connection.ask({ do: 'open', step: 3 });
  await settled();
  assert.deepEqual(sent, [{ version: 1 }]);
  send({ is: 'hello', version: 1, tapelab: '0.1' });
  assert.deepEqual(sent.slice(1), [{ do: 'show' }, { do: 'open', step: 3 }]);
  connection.dispose();
});

test('a kernel without tapelab is left alone until a cell speaks of it', async () => {
  const { connection, kernel, opened } = aKernel('python', false);
  connection.show(true);
  await settled();
  assert.deepEqual([opened.length, connection.state.link], [0, 'absent']);
  const cell = { header: { msg_type: 'execute_input' }, content: { code: 'x = 1' } };
  kernel.there = true;
  connection.overhear(cell as never);
  await later(300);
  assert.equal(opened.length, 0);
  connection.overhear({ ...cell, content: { code: 'import tapelab as tf' } } as never);
  await later(300);
  assert.deepEqual([opened.length, connection.state.link], [1, 'waiting']);
  connection.dispose();
});

test('while the cell runs that imports tapelab it is looked for again and again', async () => {
  const { connection, kernel, queries, opened } = aKernel('python', false);
  connection.show(true);
  await settled();
  kernel.status = 'busy';
  const cell = { header: { msg_type: 'execute_input' }, content: { code: 'import tapelab' } };
  connection.overhear(cell as never);
  await later(300);
  kernel.there = true;
  await later(500);
  assert.deepEqual([opened.length, queries], [1, [false, false, true]]);
  connection.dispose();
});

test('a kernel that closes the line has no tapelab', async () => {
  const { connection, opened } = aKernel();
  connection.show(true);
  await settled();
  void opened[0]!.onClose({} as never);
  assert.equal(connection.state.link, 'absent');
  connection.dispose();
});

test('the announcement of the kernel is heard', () => {
  const { connection } = aKernel();
  const reply = { header: { msg_type: 'execute_reply' } };
  connection.overhear({ ...reply, content: { payload: [{ source: 'page' }] } } as never);
  assert.equal(connection.speaks, false);
  connection.overhear({ ...reply, content: { payload: [{ source: 'tapelab.live' }] } } as never);
  assert.equal(connection.speaks, true);
  connection.dispose();
});

test('a kernel of another language is not spoken to', async () => {
  const { connection, opened } = aKernel('R');
  connection.show(true);
  await settled();
  assert.deepEqual([opened.length, connection.state.link], [0, 'absent']);
  connection.dispose();
});

test('another version of the protocol is told, with that of tapelab', async () => {
  const { connection, sent, send } = aKernel();
  connection.show(true);
  await settled();
  send({ is: 'hello', version: 2, tapelab: '7.8' });
  assert.deepEqual([connection.state.link, sent.length], ['failed', 1]);
  assert.match(connection.state.error, /7\.8/);
  connection.dispose();
});

test('after a restart everything begins anew', async () => {
  const { connection, send, opened, statusChanged } = await greeted();
  send(LIVE);
  statusChanged.emit('restarting');
  assert.deepEqual([connection.state.link, connection.state.now], ['absent', null]);
  assert.equal(opened[0]!.isDisposed, true);
  connection.dispose();
});

test('a lost connection is told and the last picture comes back with it', async () => {
  const { connection, sent, send, connectionStatusChanged } = await greeted();
  send(LIVE);
  connectionStatusChanged.emit('connecting');
  assert.match(connection.state.trouble, /lost/);
  connectionStatusChanged.emit('connected');
  assert.deepEqual([connection.state.link, connection.state.now?.step], ['open', 1]);
  assert.deepEqual(sent.at(-1), { do: 'show' });
  connection.dispose();
});

test('a paused panel stands still while the kernel goes on', async () => {
  const { connection, send } = await greeted();
  send(LIVE);
  connection.pause();
  send({ ...LIVE, step: 2, history: [[2, 0.5, []]] });
  assert.deepEqual([connection.state.paused, connection.state.now?.step], [true, 1]);
  connection.pause();
  assert.deepEqual([connection.state.paused, connection.state.now?.step], [false, 2]);
  assert.equal(connection.state.losses.length, 2);
  connection.dispose();
});

test('a recording comes with its bytes', async () => {
  const { connection, send } = await greeted();
  const received: Answer[] = [];
  connection.answered.connect((_, answer) => received.push(answer));
  send({ is: 'recording', step: 3, cells: ['a'], explanation: null }, [
    new Uint8Array([1, 2]).buffer,
  ]);
  send({ is: 'something new' });
  assert.equal(received.length, 1);
  assert.deepEqual([...(received[0] as { bytes: Uint8Array }).bytes], [1, 2]);
  connection.dispose();
});

test('what was chosen in the settings is told first', async () => {
  const { connection, sent, send } = aKernel();
  connection.settings = () => ({ hints: false, rate: 10 });
  connection.show(true);
  await settled();
  send({ is: 'hello', version: 1, tapelab: '0.1' });
  assert.deepEqual(sent.slice(1), [
    { do: 'set', settings: { hints: false, rate: 10 } },
    { do: 'show', rate: 10 },
  ]);
  connection.dispose();
});

test('what is chosen later is told at once', async () => {
  const { connection, sent } = await greeted();
  connection.settle({ hints: true });
  assert.deepEqual(sent.at(-1), { do: 'set', settings: { hints: true } });
  connection.settings = () => ({ rate: 5 });
  connection.settle({ rate: 5 });
  assert.deepEqual(sent.slice(-2), [
    { do: 'set', settings: { rate: 5 } },
    { do: 'show', rate: 5 },
  ]);
  connection.settle({});
  assert.deepEqual(sent.at(-1), { do: 'show', rate: 5 });
  connection.dispose();
});

import { NotebookActions } from '@jupyterlab/notebook';
import type { NotebookPanel } from '@jupyterlab/notebook';

const EXAMPLE = `import tapelab as tf

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * x + tf.sin(x)
tape.gradient(y, x)`;

/** Put a small tape into a cell below, ready to be run. */
export function insertExample(notebook: NotebookPanel | null): void {
  if (!notebook) return;
  const { content } = notebook;
  const isEmpty = content.activeCell?.model.sharedModel.getSource().trim() === '';
  if (!isEmpty) NotebookActions.insertBelow(content);
  content.activeCell?.model.sharedModel.setSource(EXAMPLE);
  content.activate();
}

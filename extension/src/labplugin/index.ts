import type { JupyterFrontEndPlugin } from '@jupyterlab/application';

const plugins: readonly JupyterFrontEndPlugin<void>[] = [];

export default plugins;

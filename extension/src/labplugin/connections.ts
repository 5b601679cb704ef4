import type { Kernel } from '@jupyterlab/services';
import { Connection } from './connection.js';
import type { Settings } from './protocol.js';

/** The connections of this page, one for each kernel. */
export class Connections {
  private readonly byKernel = new Map<string, Connection>();
  private readonly lines = new Map<string, Kernel.IKernelConnection[]>();

  constructor(
    private readonly kernels: Kernel.IManager,
    private readonly settings: () => Partial<Settings>,
  ) {}

  /** The connection to a kernel that a notebook or console of this page uses. */
  of(kernel: Kernel.IKernelConnection): Connection {
    this.listen(kernel);
    const { id } = kernel;
    const known = this.byKernel.get(id);
    if (known && !known.isDisposed) return known;
    const made = new Connection(this.lineFor(kernel));
    made.settings = this.settings;
    this.byKernel.set(id, made);
    return made;
  }

  /** All that are there. */
  all(): Connection[] {
    return [...this.byKernel.values()].filter((each) => !each.isDisposed);
  }

  private listen(kernel: Kernel.IKernelConnection): void {
    const lines = this.lines.get(kernel.id) ?? [];
    if (lines.includes(kernel)) return;
    this.lines.set(kernel.id, [...lines, kernel]);
    kernel.anyMessage.connect((_, { msg, direction }) => {
      if (direction === 'recv') this.byKernel.get(kernel.id)?.overhear(msg);
    });
    kernel.disposed.connect(() => {
      const left = this.lines.get(kernel.id)?.filter((each) => each !== kernel) ?? [];
      this.lines.set(kernel.id, left);
    });
  }

  /** Of several lines to one kernel, the one of which JupyterLab lets comms pass. */
  private lineFor(kernel: Kernel.IKernelConnection): Kernel.IKernelConnection {
    const open = this.lines.get(kernel.id)?.find((line) => line.handleComms && !line.isDisposed);
    return open ?? this.kernels.connectTo({ model: kernel.model, handleComms: true });
  }
}

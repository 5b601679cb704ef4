import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ILayoutRestorer } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import { ABCWidgetFactory, DocumentWidget } from '@jupyterlab/docregistry';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import { Widget } from '@lumino/widgets';
import { fromBase64 } from '../core/compression.js';
import type { Shown } from './explorer.js';
import { tapeIcon } from './icon.js';
import css from './panel.css';
import type { Speech } from './translation.js';

const FACTORY = 'Tape';

/** A `.tape` file in the Explorer. */
class TapeFile extends Widget {
  private shown: Shown | null = null;

  constructor(
    private readonly context: DocumentRegistry.Context,
    private readonly speech: () => Speech,
  ) {
    super();
    this.addClass('tapelab-file');
    void context.ready.then(() => {
      context.model.contentChanged.connect(() => void this.draw());
      return this.draw();
    });
  }

  override dispose(): void {
    this.shown?.destroy();
    super.dispose();
  }

  private async draw(): Promise<void> {
    const { showRecording } = await import('./explorer.js');
    if (this.isDisposed) return;
    this.shown?.destroy();
    const host = document.createElement('div');
    const style = document.createElement('style');
    style.textContent = css;
    this.node.replaceChildren(style, host);
    const recording = fromBase64(this.context.model.toString());
    this.shown = await showRecording(host, { recording, ...this.speech() });
  }
}

class TapeFactory extends ABCWidgetFactory<DocumentWidget<TapeFile>> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions,
    private readonly speech: () => Speech,
  ) {
    super(options);
  }

  protected createNewWidget(context: DocumentRegistry.Context): DocumentWidget<TapeFile> {
    return new DocumentWidget({ content: new TapeFile(context, this.speech), context });
  }
}

/** Let JupyterLab open `.tape` files; nothing is run for it. */
export const filesPlugin = (speech: () => Speech): JupyterFrontEndPlugin<void> => ({
  id: 'tapelab:files',
  description: 'Opens .tape files in the Explorer.',
  autoStart: true,
  optional: [ILayoutRestorer],
  activate: (app: JupyterFrontEnd, restorer: ILayoutRestorer | null) => {
    app.docRegistry.addFileType({
      name: 'tape',
      displayName: 'Tape',
      extensions: ['.tape'],
      mimeTypes: ['application/vnd.tapelab.recording'],
      fileFormat: 'base64',
      contentType: 'file',
      icon: tapeIcon,
    });
    const factory = new TapeFactory(
      {
        name: FACTORY,
        modelName: 'base64',
        fileTypes: ['tape'],
        defaultFor: ['tape'],
        readOnly: true,
      },
      speech,
    );
    const tracker = new WidgetTracker<DocumentWidget<TapeFile>>({ namespace: 'tapelab' });
    factory.widgetCreated.connect((_, widget) => {
      widget.title.icon = tapeIcon;
      void tracker.add(widget);
      widget.context.pathChanged.connect(() => void tracker.save(widget));
    });
    app.docRegistry.addWidgetFactory(factory as DocumentRegistry.WidgetFactory);
    void restorer?.restore(tracker, {
      command: 'docmanager:open',
      args: ({ context }) => ({ path: context.path, factory: FACTORY }),
      name: ({ context }) => context.path,
    });
  },
});

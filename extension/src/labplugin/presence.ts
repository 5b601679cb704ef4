import { KernelMessage } from '@jupyterlab/services';
import type { Kernel } from '@jupyterlab/services';
import { TARGET } from './protocol.js';

/** The part of a message that is read in passing. */
export type Overheard = Pick<KernelMessage.IMessage, 'content' | 'header'>;

/** Whether a message that passes by says that tapelab is there, or that code speaks of it. */
export function presenceIn({ header, content }: Overheard): 'there' | 'perhaps' | null {
  if (header.msg_type === 'execute_reply') {
    const { payload = [] } = content as { payload?: readonly { source?: unknown }[] };
    return payload.some(({ source }) => source === TARGET) ? 'there' : null;
  }
  // Sent to every page of a kernel, and before the cell has run; the reply is neither.
  const { code = '' } = content as { code?: string };
  return header.msg_type === 'execute_input' && /\btapelab\b/.test(code) ? 'perhaps' : null;
}

/**
 * Whether tapelab is in a kernel. Comms are asked for beside the cell that runs; to open one in vain
 * would be an error in all other pages of the kernel.
 */
export async function isThere(kernel: Kernel.IKernelConnection): Promise<boolean> {
  const { language_info } = await kernel.info;
  if (language_info.name !== 'python') return false;
  const message = KernelMessage.createMessage({
    msgType: 'comm_info_request',
    channel: 'control',
    username: kernel.username,
    session: kernel.clientId,
    content: { target_name: TARGET },
  } as never);
  const { done } = kernel.sendControlMessage(message as never, true, true);
  const content = (await done.catch(() => null))?.content as { comms?: object } | undefined;
  return Object.keys(content?.comms ?? {}).length > 0;
}

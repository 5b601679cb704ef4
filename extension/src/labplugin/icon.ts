import { LabIcon } from '@jupyterlab/ui-components';

/** A piece of tape, in the colour of the other icons. */
export const tapeIcon = new LabIcon({
  name: 'tapelab:tape',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">' +
    '<path class="jp-icon3" fill="#616161" d="M3 5h18v14H3zm2 6v2h14v-2zM5 7v2h2V7zm4 0v2h2V7zm4 ' +
    '0v2h2V7zm4 0v2h2V7zM5 15v2h2v-2zm4 0v2h2v-2zm4 0v2h2v-2zm4 0v2h2v-2z"/></svg>',
});

/** A list of what is done and what is to do. */
export const lessonIcon = new LabIcon({
  name: 'tapelab:lesson',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">' +
    '<path class="jp-icon3" fill="#616161" d="M11 5h10v2H11zm0 6h10v2H11zm0 6h10v2H11zM3.7 5.2 ' +
    '5.2 6.7l3.1-3.1 1.1 1.1-4.2 4.1-2.6-2.5zM4 11h4v2H4zm0 6h4v2H4z"/></svg>',
});

/** A question, for what explains. */
export const whyIcon = new LabIcon({
  name: 'tapelab:why',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">' +
    '<path class="jp-icon3" fill="#616161" d="M11 17h2v2h-2zm1-12a5 5 0 0 0-5 5h2a3 3 0 1 1 4.7 2.5' +
    'C12 13.6 11 14.5 11 16h2c0-.8.7-1.3 1.9-2.200A5 5 0 0 0 12 5"/></svg>',
});

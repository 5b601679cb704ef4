export { default } from '../../../../tapelab/locales/he/LC_MESSAGES/explorer.json';

export { default } from '../../../../tapelab/locales/zh_CN/LC_MESSAGES/explorer.json';

export { removeFolder as default } from './template.mjs';

import { textsOf } from '../i18n/texts.js';
import { en } from './cause-words.en.js';
import { ptBR } from './cause-words.pt-BR.js';

/** The one place of the words for causes (R40): why, and what to do. */
export const useCauseWords = textsOf({ en, 'pt-BR': ptBR });

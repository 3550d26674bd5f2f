import { en } from '../../../src/platform/conditions/remedy-words.en.js';
import { ptBR } from '../../../src/platform/conditions/remedy-words.pt-BR.js';
import { textsOf } from '../i18n/texts.js';

/** The one place of the words for causes (R40): why, and what to do. */
export const useCauseWords = textsOf({ en, 'pt-BR': ptBR });

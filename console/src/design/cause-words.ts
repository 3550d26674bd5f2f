import { en } from '../../../src/platform/conditions/remedy-words.en.js';
import { ptBR } from '../../../src/platform/conditions/remedy-words.pt-BR.js';
import { SENDER } from '../../../src/platform/conditions/sender.js';
import { WAITING } from '../../../src/platform/conditions/waiting.js';
import { textsOf } from '../i18n/texts.js';

/** The one place of the words for causes (R40): why, and what to do. */
export const useCauseWords = textsOf({ en, 'pt-BR': ptBR });
/** What to do, and what not, while orders wait (R67). */
export const useWaitingWords = textsOf(WAITING);
/** What to do where sales of a terminal do not arrive (R67). */
export const useSenderWords = textsOf(SENDER);

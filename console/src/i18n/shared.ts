import { en } from './en.js';
import { ptBR } from './pt-BR.js';
import { textsOf } from './texts.js';

/** The texts of the frame, of states and of errors. */
export const useSharedTexts = textsOf({ en, 'pt-BR': ptBR });

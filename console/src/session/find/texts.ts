import { textsOf } from '../../i18n/texts.js';
import { en } from './en.js';
import { ptBR } from './pt-BR.js';

export const useTexts = textsOf({ en, 'pt-BR': ptBR });

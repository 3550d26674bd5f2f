import { textsOf } from '../../i18n/texts.js';
import { checksEn } from './checks.en.js';
import { checksPtBR } from './checks.pt-BR.js';
import { en } from './en.js';
import { ptBR } from './pt-BR.js';

export const useTexts = textsOf({ en, 'pt-BR': ptBR });

/** The texts of the findings; see `src/doctor/findings.ts`. */
export const useCheckTexts = textsOf({ en: checksEn, 'pt-BR': checksPtBR });

import { textsOf } from '../../i18n/texts.js';
import { catalogueEn } from './catalogue.en.js';
import { cataloguePtBR } from './catalogue.pt-BR.js';
import { checksEn } from './checks.en.js';
import { checksPtBR } from './checks.pt-BR.js';
import { en } from './en.js';
import { pauseEn } from './pause.en.js';
import { pausePtBR } from './pause.pt-BR.js';
import { ptBR } from './pt-BR.js';
import { pullingEn } from './pulling.en.js';
import { pullingPtBR } from './pulling.pt-BR.js';
import { topicsEn } from './topics.en.js';
import { topicsPtBR } from './topics.pt-BR.js';

export const useTexts = textsOf({ en, 'pt-BR': ptBR });

export const usePauseTexts = textsOf({ en: pauseEn, 'pt-BR': pausePtBR });

export const useTopicTexts = textsOf({ en: topicsEn, 'pt-BR': topicsPtBR });

export const useCatalogueTexts = textsOf({ en: catalogueEn, 'pt-BR': cataloguePtBR });

/** What each finding of a check says; see `src/capabilities/doctor/words.ts`. */
export const useCheckTexts = textsOf({ en: checksEn, 'pt-BR': checksPtBR });

export const usePullingTexts = textsOf({ en: pullingEn, 'pt-BR': pullingPtBR });

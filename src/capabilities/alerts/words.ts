import type { RemedyTexts } from '../../platform/conditions/remedy.js';
import { en } from '../../platform/conditions/remedy-words.en.js';
import { ptBR } from '../../platform/conditions/remedy-words.pt-BR.js';
import type { Language } from '../../platform/http/fields/languages.js';

/** What every alert says, whatever it is about. */
interface Words {
  /** the place of what is of no restaurant */
  readonly platform: string;
  readonly number: string;
  readonly newest: string;
  readonly over: string;
  readonly left: string;
  readonly more: (count: number) => string;
  readonly away: (minutes: number) => string;
  readonly acknowledge: string;
  readonly openOrder: (number: string) => string;
  readonly openPage: string;
}

const EN: Words = {
  platform: 'Platform',
  number: 'No.',
  newest: 'newest',
  over: 'There is nothing more to do.',
  left: 'It is not solved: open the page.',
  more: (n) => `And ${n} more ${n === 1 ? 'alert' : 'alerts'}: open the page.`,
  away: (minutes) => `It was away for ${minutes} min.`,
  acknowledge: 'I take care of it',
  openOrder: (number) => `Open order ${number}`,
  openPage: 'Open the page',
};

const PT: Words = {
  platform: 'Plataforma',
  number: 'Nº',
  newest: 'o mais recente',
  over: 'Não há mais nada a fazer.',
  left: 'Não está resolvido: abra a página.',
  more: (n) => `E mais ${n} ${n === 1 ? 'alerta' : 'alertas'}: abra a página.`,
  away: (minutes) => `Ficou fora por ${minutes} min.`,
  acknowledge: 'Eu cuido disso',
  openOrder: (number) => `Abrir o pedido ${number}`,
  openPage: 'Abrir a página',
};

/** The words of alerts in each language. */
export const WORDS: Readonly<Record<Language, Words>> = { en: EN, 'pt-BR': PT };

/** Why, and what helps, in each language. */
export const REMEDIES: Readonly<Record<Language, RemedyTexts>> = { en, 'pt-BR': ptBR };

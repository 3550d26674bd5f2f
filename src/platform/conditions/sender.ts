import type { Language } from '../http/fields/languages.js';

/** What helps when sales are refused with a sender key: for pages, mails and push (G54, R67), or none come (G59). */
export interface SenderWords {
  /** of a terminal that is refused now */
  readonly terminal: string;
  /** of a key: nobody knows which terminal sends with it */
  readonly key: string;
  /** before the headline of a day, whose orders are only those that have arrived */
  readonly missing: string;
  /** the same, where no sale comes at a time at which some usually do */
  readonly stopped: string;
  /** what helps then */
  readonly silent: string;
}

const MEND = {
  en: 'enter a key that works, and let it send again only what nobody has entered in the till by hand meanwhile.',
  'pt-BR':
    'informe uma chave que funcione, e faça-o enviar de novo só o que ninguém lançou no caixa à mão nesse meio-tempo.',
} as const;

export const SENDER: Readonly<Record<Language, SenderWords>> = {
  en: {
    terminal: `Its sales do not arrive: until they do, enter them in the till by hand. Find this terminal, ${MEND.en}`,
    key: `A terminal may still send with it, and its sales are not stored. Find this terminal, ${MEND.en}`,
    missing: 'sales of a terminal do not arrive',
    stopped: 'sales have stopped',
    silent:
      'If the restaurant is closed or has no guests, there is nothing to do. Otherwise sales do not arrive, and are not in the POS: see whether the terminals are on and have a network, then call their operator.',
  },
  'pt-BR': {
    terminal: `As vendas dele não chegam: até que cheguem, lance-as no caixa à mão. Encontre esse terminal, ${MEND['pt-BR']}`,
    key: `Um terminal talvez ainda envie com ela, e as vendas dele não são guardadas. Encontre esse terminal, ${MEND['pt-BR']}`,
    missing: 'as vendas de um terminal não chegam',
    stopped: 'as vendas pararam',
    silent:
      'Se o restaurante está fechado ou sem clientes, não há nada a fazer. Senão as vendas não chegam, e não estão no PDV: veja se os terminais estão ligados e com rede, e depois chame quem cuida deles.',
  },
};

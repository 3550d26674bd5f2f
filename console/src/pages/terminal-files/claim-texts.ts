import { plural, type Same, textsOf } from '../../i18n/texts.js';

const en = {
  title: 'Did they never reach us?',
  says: (missing: number, sales: number, sum: string) =>
    `This will say that ${missing} of ${plural('en', { one: '# payment', other: '# payments' })(sales)}, ${sum}, never reached us.`,
  help: 'So many are rarely missing: first check below which column is what, the time zone, and that the file is of this restaurant.',
  claim: 'Yes, they never reached us',
};

const ptBR: Same<typeof en> = {
  title: 'Elas nunca chegaram?',
  says: (missing: number, sales: number, sum: string) =>
    `Isto vai dizer que ${missing} de ${plural('pt-BR', { one: '# venda', other: '# vendas' })(sales)}, ${sum}, nunca ${missing === 1 ? 'chegou' : 'chegaram'} até nós.`,
  help: 'Raramente faltam tantas: primeiro confira abaixo qual coluna é o quê, o fuso horário, e se o arquivo é deste restaurante.',
  claim: 'Sim, elas nunca chegaram',
};

export const useClaimTexts = textsOf({ en, 'pt-BR': ptBR });

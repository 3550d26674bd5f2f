import { isolated } from '../../i18n/isolated.js';
import { plural, type Same } from '../../i18n/texts.js';
import type { catalogueEn } from './catalogue.en.js';

const duplicates = plural('pt-BR', { one: '# linha está repetida.', other: '# linhas estão repetidas.' });
const unreadable = plural('pt-BR', { one: '# célula não pode ser lida.', other: '# células não podem ser lidas.' });

export const cataloguePtBR: Same<typeof catalogueEn> = {
  title: 'Catálogo do PDV',
  help: 'Um arquivo CSV dos produtos que o PDV conhece, com as colunas código, nome e preço. O relay avisa então de produtos vendidos que o PDV não conhece. Nada é recusado por isso.',
  none: 'Ainda não há catálogo.',
  standing: (count, at, by) => `${count} produtos, desde ${at}${by === null ? '' : ` por ${isolated(by)}`}.`,
  choose: 'Escolher um arquivo',
  tooLarge: 'O arquivo tem mais de 5 MB.',
  busy: 'Outro arquivo está sendo lido agora. Tente de novo em instantes.',
  changedMeanwhile: 'Outra pessoa mudou o catálogo nesse meio-tempo. Escolha o arquivo de novo.',
  preview: 'O que o arquivo muda',
  figures: (count, added, changed, removed) =>
    `${count} produtos no arquivo: ${added} novos, ${changed} alterados, ${removed} removidos.`,
  duplicates,
  same: 'O catálogo já tem estes produtos.',
  unreadable: (count) => `${unreadable(count)} Corrija o arquivo: até lá nada dele é usado.`,
  problem: (line, column, reason) => `Linha ${line}, ${isolated(column)}: ${isolated(reason)}`,
  firstRows: 'Os primeiros produtos do arquivo',
  code: 'Código',
  name: 'Nome',
  price: 'Preço',
  replace: 'Substituir o catálogo',
  leave: 'Deixar como está',
  replaced: plural('pt-BR', { one: 'O catálogo tem # produto agora.', other: 'O catálogo tem # produtos agora.' }),
  remove: 'Remover o catálogo',
  removeTitle: 'Remover o catálogo do PDV?',
  removeHelp: 'As vendas não têm mais aviso de produtos desconhecidos. Os pedidos são enviados como antes.',
  removed: 'O catálogo foi removido.',
};

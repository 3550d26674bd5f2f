import { plural, type Same } from '../../i18n/texts.js';
import type { deciding as english } from './deciding.en.js';

export const deciding: Same<typeof english> = {
  enter: {
    button: 'Lançada à mão',
    what: (amount, at) => `${amount}, ${at}`,
    title: (amount) => `A venda de ${amount} já está no PDV?`,
    help: 'Nada é enviado ao PDV: lance a venda lá antes.',
    note: 'Anotação',
    noteHelp: 'Por exemplo o número do pedido no PDV. Fica na auditoria.',
    action: 'Sim, foi lançada',
  },
  accept: 'Sim, é a mesma',
  refuse: 'Não, é outra',
  decided: {
    enter: 'Anotado: foi lançada à mão.',
    accept: 'Anotado: é a mesma venda.',
    check: 'Anotado: está resolvido.',
    undo: 'Desfeito: a linha está como antes.',
    refuse: 'Anotado: é outra venda. Sem uma que combine, ela está agora entre as que nunca chegaram.',
  },
  decisions: { ENTERED: 'Lançada à mão', ACCEPTED: 'Aceita: a mesma venda', CHECKED: 'Resolvido' },
  refused: plural('pt-BR', {
    one: 'Outra venda foi recusada para ela',
    other: '# outras vendas foram recusadas para ela',
  }),
  undo: 'Desfazer',
  accepted: {
    title: plural('pt-BR', { one: '# venda aceita', other: '# vendas aceitas' }),
    help: 'Alguém disse que o pagamento e a venda são os mesmos.',
  },
  misread: {
    again: 'Lido errado? Ler de novo',
    remove: 'Remover o arquivo',
    title: 'Remover este arquivo?',
    help: 'Nada dele conta mais, e o alerta se fecha. O que você decidiu fica guardado para o próximo arquivo com os mesmos pagamentos. Você pode enviar o arquivo de novo.',
  },
};

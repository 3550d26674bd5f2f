import { plural, type Same } from '../../i18n/texts.js';
import type { en } from './en.js';

const sales = plural('pt-BR', { one: '# venda', other: '# vendas' });

export const ptBR: Same<typeof en> = {
  title: 'Produtos e códigos',
  toSetup: 'Ajustes',
  intro:
    'Como o PDV chama os produtos dos terminais. Um código vale a partir do próximo pedido enviado. As vendas guardadas e as somas do dia ficam com os códigos do terminal.',
  sold: {
    title: 'Vendidos nos últimos 30 dias',
    none: 'Nenhum produto foi vendido nos últimos 30 dias.',
    from: (count, since) => `Foram lidas as últimas ${sales(count)}, até ${since}.`,
    search: 'Produto ou código',
    shown: 'Mostrar',
    all: 'Todos',
    ofCatalogue: (price) => `catálogo: ${price}`,
    noMatch: 'Nenhum produto encontrado.',
    product: 'Produto',
    noCode: 'itens sem código',
    count: 'Vendidos',
    price: 'Último preço',
    atPos: 'No PDV',
    asTerminal: 'o código do terminal',
    withoutCode: 'enviado sem código',
    more: (count) => `Mostrar mais ${count}`,
  },
  states: {
    refused: 'O PDV recusa',
    unmapped: 'Como o terminal envia',
    default: 'Código padrão',
    mapped: 'Código próprio',
    lacked: 'Fora do catálogo',
  },
  set: {
    change: 'Alterar',
    cancel: 'Cancelar',
    posCode: 'Código no PDV',
    name: 'Nome no PDV (opcional)',
    nameHint: 'Vazio: é enviado o nome do terminal.',
    save: 'Salvar',
    remove: 'Remover',
    saved: 'Salvo. Vale para o próximo pedido.',
    removed: 'Removido. O código do terminal é enviado de novo.',
    codeError: 'Informe um código de 1 a 255 caracteres.',
    nameError: 'Informe no máximo 255 caracteres, em uma linha.',
    tooMany: 'O restaurante tem 5.000 códigos: remova alguns que não são usados.',
  },
  fallback: {
    title: 'Itens sem código',
    intro: 'O PDV recebe este código para itens que o terminal envia sem código.',
    label: 'Código padrão no PDV (vazio: nenhum)',
    codeError: 'Informe no máximo 255 caracteres, em uma linha.',
    saved: 'Salvo. Vale para o próximo pedido.',
  },
  others: {
    title: 'Códigos de produtos que não foram vendidos',
  },
  tenders: {
    title: 'Formas de pagamento',
    intro: 'O código do PDV para uma forma de pagamento do terminal, ou para uma bandeira dela.',
    none: 'Nenhuma forma de pagamento tem código próprio: são enviados os do relay.',
    type: 'Número no terminal',
    brand: 'Bandeira (opcional)',
    brandHint: 'Exatamente como o terminal envia, por exemplo VISA.',
    typeError: 'Informe o número ou nome que o terminal envia, sem |.',
    add: 'Adicionar',
    terminal: 'No terminal',
    changed: 'Alterado',
    by: (who, when) => `${who}, ${when}`,
    somebody: 'a plataforma',
  },
};

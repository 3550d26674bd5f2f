import { comma, net, point, SAO_PAULO, type Writer } from './writer.js';

/** The layouts of acquirers in Brazil (J5). */
export const BRAZIL: Readonly<Record<string, Writer>> = {
  'Cielo, sales': {
    ...{ preset: 'cielo_sales', ...SAO_PAULO, separator: ';' },
    header: [
      ...['Data da venda', 'Hora da venda', 'Estabelecimento', 'Forma de pagamento', 'Quantidade total de parcelas'],
      ...['Bandeira', 'Valor bruto', 'Taxa/tarifa', 'Valor líquido', 'Data prevista do pagamento', 'Status da venda'],
      ...['Tipo de lançamento', 'Código de autorização', 'NSU/DOC', 'Código da venda', 'TID'],
    ],
    row: ({ id, number, code, cents, isDeclined }, { european, time }) => [
      ...[european, time, '1020304050', 'Crédito à vista', '1', 'Visa', `R$ ${comma(cents)}`, 'R$ 0,30'],
      ...[`R$ ${comma(cents - 30)}`, '20/12/2026', isDeclined ? 'Negada' : 'Aprovada', 'Venda crédito', code, number],
      ...[`V${id}`, `TID${id}`],
    ],
    others: [
      '20/11/2026;23:00:00;1020304050;;;;R$ -90,00;;R$ -90,00;20/12/2026;Aprovada;Aluguel de máquina;;;;'.split(';'),
    ],
  },
  'Cielo, receivables': {
    ...{ preset: 'cielo_receivables', ...SAO_PAULO, separator: ';', perInstalment: true },
    header: [
      ...[
        'Data de pagamento',
        'Data do lançamento',
        'Estabelecimento',
        'Tipo de lançamento',
        'Data da autorização da venda',
      ],
      ...[
        'Bandeira',
        'Forma de pagamento',
        'Número da parcela',
        'Quantidade de parcelas',
        'Código de autorização',
        'NSU',
      ],
      ...['Valor bruto', 'Taxa/tarifa', 'Valor líquido', 'Status'],
    ],
    row: ({ number, code, cents, part, parts, isDeclined }, { european }) => {
      const kind = parts > 1 ? 'Venda parcelada' : 'Venda crédito';
      const of = [
        '20/12/2026',
        '21/11/2026',
        '1020304050',
        kind,
        european,
        'Visa',
        'Crédito',
        String(part),
        String(parts),
      ];
      return isDeclined ? null : [...of, code, number, comma(cents), '-0,30', comma(cents - 30), 'Pago'];
    },
  },
  Stone: {
    ...{ preset: 'stone_receivables', ...SAO_PAULO, separator: ';', perInstalment: true },
    header: [
      ...['CATEGORIA', 'DATA DA VENDA', 'BANDEIRA', 'PRODUTO', 'STONE ID', 'QTD DE PARCELAS', 'Nº DA PARCELA'],
      ...['VALOR BRUTO', 'VALOR LÍQUIDO', 'ÚLTIMO STATUS'],
    ],
    row: ({ id, cents, part, parts, isDeclined }, { european, time }) => {
      const of = ['Venda', `${european} ${time}`, 'Visa', 'Crédito', id, String(parts), String(part)];
      return isDeclined ? null : [...of, `${comma(cents)}0000`, `${comma(net(cents))}0000`, 'Pago'];
    },
    others: ['Ajuste Financeiro;20/11/2026 23:00:00;;;X1;1;1;-5,000000;-5,000000;Pago'.split(';')],
  },
  'PagBank, EDI': {
    ...{ preset: 'pagbank_edi', ...SAO_PAULO, separator: ';', perInstalment: true },
    header: [
      ...['tipo_registro', 'estabelecimento', 'data_inicial_transacao', 'hora_inicial_transacao', 'tipo_evento'],
      ...[
        'codigo_transacao',
        'codigo_venda',
        'valor_total_transacao',
        'valor_parcela',
        'parcela',
        'quantidade_parcelas',
      ],
      ...['taxa_intermediacao', 'valor_liquido_transacao', 'status_pagamento', 'numero_serie_leitor'],
    ],
    row: ({ id, number, cents, part, parts, isDeclined }, { day, time }) => {
      const of = [
        '1',
        '900',
        day,
        time,
        '1',
        id,
        number,
        point(cents * parts),
        point(cents),
        String(part),
        String(parts),
      ];
      return isDeclined ? null : [...of, '0.30', point(cents - 30), '1', 'S1'];
    },
  },
};

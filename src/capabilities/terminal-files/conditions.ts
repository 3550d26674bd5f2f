import { addConditions, COUNTED, upTo } from '../../platform/conditions/condition.js';

addConditions({
  kind: 'MISSING_HERE',
  meaning: "sales of a terminal's file never reached the relay",
  select: `SELECT place.id, NULL, least(missing, ${COUNTED}), NULL::timestamptz, file.id::text, jsonb_build_object('name', file.name, 'fileId', file.id)
    FROM terminal_files file JOIN place ON place.id = file.restaurant_id WHERE missing > 0`,
  page: (restaurantId, { fileId }) => fileId && terminalFilePage(restaurantId, fileId),
  words: () => ({
    en: {
      title: (n, name) => `${n === 1 ? '1 sale' : `${upTo(n)} sales`} of the file ${name} never reached the relay`,
      closed: (name) => `solved, no sale of the file ${name} is missing any more`,
      help: 'Enter them in the POS by hand, and say so on the page of the file. Then look why the terminal did not send them.',
    },
    'pt-BR': {
      title: (n, name) =>
        `${n === 1 ? '1 venda' : `${upTo(n)} vendas`} do arquivo ${name} não ${n === 1 ? 'chegou' : 'chegaram'} ao relay`,
      closed: (name) => `resolvido, não falta mais nenhuma venda do arquivo ${name}`,
      help: 'Lance as vendas no PDV à mão, e informe isso na página do arquivo. Depois veja por que o terminal não as enviou.',
    },
  }),
});

/** Path of the console's page of a terminal's file, with what differs. */
function terminalFilePage(restaurantId: string, fileId: string): string {
  return `/console/r/${restaurantId}/terminal-files/${fileId}`;
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { queries } from '../../api/queries.js';

export type Product = View<'ProductView'>;
export type Code = View<'CodeView'>;
type Kind = View<'CodeKind'>;

/** The list reads up to 50,000 sales: it is read again only after a change, or when somebody asks. */
const FRESH_MS = 300_000;

export function useProducts(restaurantId: string) {
  return useQuery({
    queryKey: ['products', restaurantId],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/restaurants/{restaurantId}/products', { params: { path: { restaurantId } }, signal })),
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
  });
}

export function useCodes(restaurantId: string) {
  return useQuery({
    queryKey: ['codes', restaurantId],
    queryFn: async ({ signal }) =>
      (await answerOf(api.GET('/restaurants/{restaurantId}/codes', { params: { path: { restaurantId } }, signal })))
        .data,
  });
}

/** Codes of the terminal that no path can hold are in the query (I7). */
const paramsOf = (restaurantId: string, kind: Kind, terminalCode: string) => ({
  path: { restaurantId, kind, terminalCode: 'code' },
  query: { code: terminalCode },
});

export interface CodeToSet {
  readonly kind: Kind;
  readonly terminalCode: string;
  readonly posCode: string;
  /** empty: the terminal's name is sent */
  readonly name: string;
}

/** Sets a code (I7). @throws Problem */
export async function setCode(restaurantId: string, { kind, terminalCode, posCode, name }: CodeToSet) {
  const params = paramsOf(restaurantId, kind, terminalCode);
  const body = { posCode: posCode.trim(), ...(name.trim() !== '' && { name: name.trim() }) };
  await answerOf(api.PUT('/restaurants/{restaurantId}/codes/{kind}/{terminalCode}', { params, body }));
  await readAgain(restaurantId);
}

export function useRemoveCode(restaurantId: string, kind: Kind) {
  return useMutation({
    mutationFn: async (terminalCode: string) => {
      const params = paramsOf(restaurantId, kind, terminalCode);
      await answerOf(api.DELETE('/restaurants/{restaurantId}/codes/{kind}/{terminalCode}', { params }));
      await readAgain(restaurantId);
    },
  });
}

const readAgain = (restaurantId: string) =>
  Promise.all(['codes', 'products'].map((name) => queries.invalidateQueries({ queryKey: [name, restaurantId] })));

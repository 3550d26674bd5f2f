/**
 * The restaurant of a sale. For a user the restaurant that was read with the user (W6). For the terminal platform the fields by which the
 * statement finds it (W8 to W10). For a sender key the restaurant of the key, or, for a key of the platform, these fields; the statement
 * checks that the key works (V5). `party`: by whom the sale takes turns with others, as the calls of its restaurant do (O44).
 */
export type Place =
  | { readonly sender: 'user'; readonly restaurantId: string; readonly party: string; readonly key?: undefined }
  | {
      readonly sender: 'key';
      readonly restaurantId: string;
      readonly key: string;
      readonly party: string;
      /** what the sale names, for the warning that it is another store than the key's (W49); null: nothing, or the test store */
      readonly storeCode: string | null;
      readonly named: string | null;
    }
  | {
      readonly sender: 'terminal';
      /** its stores take turns each for itself */
      readonly party?: undefined;
      /** the id of the row of a key of the platform; absent: the static token */
      readonly key?: string | undefined;
      /** null: none, or the test store code, which names no restaurant (W10) */
      readonly storeCode: string | null;
      /** a UUID */
      readonly restaurantId: string | null;
    };

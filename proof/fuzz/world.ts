/** Whom the requests speak for, and whose texts must stay where they are. */

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  /** a JWT */
  readonly token: string;
}

/** A restaurant with its people and its sales; every text of it is a mark that no other tenant may read. */
export interface Tenant {
  readonly name: string;
  readonly restaurantId: string;
  readonly slug: string;
  readonly storeCode: string;
  readonly owner: Person;
  readonly clerk: Person;
  /** transactionKeys of its first sales */
  readonly keys: readonly string[];
  readonly jobIds: readonly string[];
  /** texts */
  readonly marks: readonly string[];
}

export interface World {
  readonly tenants: readonly Tenant[];
  /** the platform administrator: linked to none of them */
  readonly admin: Person;
  /** TERMINAL_BEARER_TOKEN */
  readonly terminalToken: string;
  /** what no answer and no line of the log may hold: passwords, keys, secrets of the POS */
  readonly secrets: readonly string[];
}

/** Who sends a request. */
export interface Caller {
  readonly name: string;
  /** the header `Authorization`; undefined: none */
  readonly authorization: string | undefined;
  /** undefined: nobody's, or the platform's */
  readonly tenant: Tenant | undefined;
  /** may read every tenant's jobs (R5) */
  readonly isAdmin: boolean;
  /** sends for every restaurant, and so sees the jobs of all (W8, W20) */
  readonly isTerminal: boolean;
}

/** The most restaurants that one alarm names. */
const NAMED = 20;

/** A restaurant in an alarm. */
export interface NamedRestaurant {
  readonly restaurantId: string;
  readonly name: string;
}

/** The number of restaurants of an alarm, and the first 20 of them. */
export interface NamedRestaurants {
  readonly count: number;
  readonly restaurants: readonly NamedRestaurant[];
}

export function namedRestaurants(
  restaurants: readonly { readonly id: string; readonly name: string }[],
): NamedRestaurants {
  return {
    count: restaurants.length,
    restaurants: restaurants.slice(0, NAMED).map(({ id, name }) => ({ restaurantId: id, name })),
  };
}

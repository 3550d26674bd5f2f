/** Platform roles: on the user, independent of any restaurant (A12). */
export const PLATFORM_ROLES = ['USER', 'ADMIN'] as const;
export type PlatformRole = (typeof PLATFORM_ROLES)[number];

/** Restaurant roles: on the link of a user and a restaurant, highest first; independent of the platform role (A12). */
export const RESTAURANT_ROLES = ['OWNER', 'ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'] as const;
export type RestaurantRole = (typeof RESTAURANT_ROLES)[number];

const OWN_PERMISSIONS = {
  OWNER: [],
  ADMIN: ['manage_users', 'manage_data', 'view_reports', 'manage_settings'],
  MANAGER: ['manage_data', 'view_reports', 'manage_operations'],
  EMPLOYEE: ['create_transactions', 'view_data'],
  VIEWER: ['view_data'],
} as const satisfies Record<RestaurantRole, readonly string[]>;

export type Permission = (typeof OWN_PERMISSIONS)[RestaurantRole][number];

/** The permissions of a restaurant role (A13); OWNER has all of them. */
export function permissionsOf(role: RestaurantRole): Permission[] {
  return role === 'OWNER' ? [...new Set(Object.values(OWN_PERMISSIONS).flat())] : [...OWN_PERMISSIONS[role]];
}

/** The roles that have one of these permissions, highest first (A27); `manage_data` includes `view_data`. */
export function rolesWith(...permissions: readonly Permission[]): RestaurantRole[] {
  const sufficient: readonly Permission[] = permissions.includes('view_data')
    ? [...permissions, 'manage_data']
    : permissions;
  return RESTAURANT_ROLES.filter((role) => permissionsOf(role).some((permission) => sufficient.includes(permission)));
}

/** Whether a user of role `own` may grant, change or remove the role `granted`, which must not be above `own` (A14). */
export function mayGrant(own: RestaurantRole, granted: RestaurantRole): boolean {
  return RESTAURANT_ROLES.indexOf(own) <= RESTAURANT_ROLES.indexOf(granted);
}

/** Roles that may list a restaurant's users (canManage, A17). */
export const MANAGING_ROLES = ['OWNER', 'ADMIN', 'MANAGER'] as const satisfies readonly RestaurantRole[];

/** Roles that may change a restaurant and its users (hasPermission, A17). */
export const ADMINISTERING_ROLES = ['OWNER', 'ADMIN'] as const satisfies readonly RestaurantRole[];

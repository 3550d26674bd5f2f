import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { founderOf } from '../auth/founder.js';
import type { CurrentUser } from '../auth/principal.js';
import { Revocations } from '../auth/revocations.js';
import { isOpenDelivery, type VendorName } from '../domain/vendor.js';
import { restaurantWarnings } from '../domain/warnings.js';
import { JobStore } from '../outbox/job-store.js';
import { Worker } from '../outbox/worker.js';
import type { Actor } from '../platform/audit/actions.js';
import { auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { Config } from '../platform/config/config.js';
import { uniqueViolation } from '../platform/database/errors.js';
import type { Prisma, Restaurant } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import { OutboundTransport } from '../platform/outbound/outbound-transport.js';
import { posSecretContext } from '../platform/secrets/contexts.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import type { Link } from '../user-links/restaurant.guard.js';
import { RESTAURANT_CODES } from './error-codes.js';
import { NO_POS, posOf, refusalOfBase } from './pos-of.js';
import { changedActs, changedSettings, createdAct, vendorOf } from './restaurant-acts.js';
import type {
  CreateRestaurantDto,
  DeleteRestaurantDto,
  QueryRestaurantDto,
  UpdateRestaurantDto,
} from './restaurants.dto.js';
import type { OwnRestaurantView, RestaurantPageView, RestaurantView } from './restaurants.views.js';
import { MAX_OWN } from './restaurants.views.js';
import { randomSuffix, slugOf } from './slug.js';

const RESTAURANT_DELETED = auditAction('restaurant.deleted');

export const ONBOARDING_TEXT =
  'only platform administrators may create restaurants and set codeStoreTerminal and codeStorePos (ONBOARDING=admin)';

type OwnLink = Prisma.UserRestaurantGetPayload<{ include: { restaurant: true } }>;

/** Creates, reads, changes and deletes restaurants with their store codes and POS credentials (A18 to A22). */
@Injectable()
export class RestaurantsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
    private readonly audit: AuditTrail,
    private readonly jobs: JobStore,
    private readonly worker: Worker,
    private readonly revocations: Revocations,
    private readonly outbound: OutboundTransport,
    private readonly config: Config,
  ) {}

  /**
   * Creates a restaurant and links its creator as OWNER, in one transaction.
   * @throws 400 for a posBaseUrl that cannot be; 403 ONBOARDING_BY_ADMIN; 409 when the slug or codeStoreTerminal is taken
   */
  async create(
    user: CurrentUser,
    actor: Actor,
    { slug, posSecret, ...fields }: CreateRestaurantDto,
  ): Promise<RestaurantView> {
    this.refuseOnboardingBy(user);
    const given = await this.checkedAddress(fields);
    const id = randomUUID();
    const data: Omit<Prisma.RestaurantCreateInput, 'slug'> = {
      ...given,
      ...posOf(given, NO_POS),
      id,
      posSecret: posSecret ? this.box.seal(posSecret, posSecretContext(id)) : null,
      users: { create: { user: { connect: { id: user.id } }, role: 'OWNER', origin: 'CREATED' } },
    };
    const slugToTry = slug ?? slugOf(fields.name);
    try {
      return await this.insert(actor, { ...data, slug: slugToTry });
    } catch (error) {
      // when the derived slug is taken, the restaurant gets a slug with a suffix instead of a 409
      if (slug || !uniqueViolation(error)?.constraint.includes('slug')) throw error;
      return this.insert(actor, { ...data, slug: `${slugToTry}-${randomSuffix()}` });
    }
  }

  /** Finds a restaurant by id. @throws 404 NOT_FOUND */
  async get(id: string): Promise<RestaurantView> {
    return toView(await this.find({ id }));
  }

  /** Finds a restaurant by slug. @throws 404 NOT_FOUND, also when the caller is not linked to it, because slugs can be guessed (A16) */
  async getBySlug(userId: string, slug: string): Promise<RestaurantView> {
    return toView(await this.find({ slug, users: { some: { userId } } }));
  }

  /** Lists all restaurants the user is linked to, sorted by name. */
  async listAll(userId: string): Promise<OwnRestaurantView[]> {
    const links = await this.prisma.userRestaurant.findMany({
      where: { userId, restaurant: { deletedAt: null } },
      include: { restaurant: true },
      orderBy: [{ restaurant: { name: 'asc' } }, { id: 'asc' }],
      take: MAX_OWN,
    });
    return links.map(toOwnView);
  }

  /** Lists one page of the restaurants the user is linked to (A22). */
  async list(userId: string, { page, limit, search, role, sort }: QueryRestaurantDto): Promise<RestaurantPageView> {
    // Prisma does not escape the wildcards of LIKE
    const contains = { contains: search?.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
    const where = {
      userId,
      role,
      restaurant: { deletedAt: null, ...(search ? { OR: [{ name: contains }, { slug: contains }] } : {}) },
    };
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    const [total, links] = await Promise.all([
      this.prisma.userRestaurant.count({ where }),
      this.prisma.userRestaurant.findMany({
        where,
        include: { restaurant: true },
        orderBy: [{ restaurant: { [sort.replace('-', '')]: direction } }, { id: 'asc' }],
        skip: (page - 1) * limit,
        take: limit,
      }),
    ]);
    return {
      data: links.map(toOwnView),
      meta: { page, limit, total, pages: Math.ceil(total / limit) },
    };
  }

  /**
   * Changes the fields that are present, and makes FAILED orders due that waited for these fields (R32).
   * @throws 400 for a posBaseUrl that cannot be; 403 ONBOARDING_BY_ADMIN when a store code is among the fields; 404; 409 when the slug or codeStoreTerminal is taken, and VENDOR_HAS_ORDERS
   */
  async update(
    user: CurrentUser,
    caller: Link,
    { posSecret, ...fields }: UpdateRestaurantDto,
  ): Promise<RestaurantView> {
    const id = caller.restaurantId;
    if (fields.codeStoreTerminal !== undefined || fields.codeStorePos !== undefined) this.refuseOnboardingBy(user);
    const secret = posSecret ? this.box.seal(posSecret, posSecretContext(id)) : posSecret;
    const given = await this.checkedAddress(fields);
    const { after, due } = await this.prisma.$transaction(async (tx) => {
      // one of vendor and address may be set by another request at this moment
      if (given.posVendor !== undefined || given.posBaseUrl !== undefined)
        await tx.$queryRaw`SELECT 1 FROM restaurants WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
      const before = await tx.restaurant.findUniqueOrThrow({ where: { id, deletedAt: null } });
      const data = { ...given, posSecret: secret, ...posOf(given, before) };
      const after = await tx.restaurant.update({ where: { id, deletedAt: null }, data });
      const isMoved = vendorOf(before) !== vendorOf(after) || before.pulls !== after.pulls;
      if (isMoved) await this.refuseMovingOrders(tx, id);
      await this.audit.record(tx, caller, ...changedActs(before, after));
      const waiting = await this.jobs.makeDueAfter(tx, id, changedSettings(before, after));
      return { after, due: waiting > 0 || isMoved };
    });
    if (due) this.worker.wake();
    return toView(after);
  }

  /**
   * Soft-deletes a restaurant (A21): every route answers 404, its slug and store code can be used again, and its events and jobs stay.
   * @param parked `abandon`: deletes the restaurant even while jobs are parked
   * @throws 404; 409 UNDELIVERED_ORDERS while jobs are PENDING, PROCESSING or FAILED; 409 PARKED_ORDERS while jobs are parked
   */
  async remove(caller: Link, { parked: abandon }: DeleteRestaurantDto): Promise<void> {
    const id = caller.restaurantId;
    await this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM restaurants WHERE id = ${id}::uuid FOR UPDATE`;
      await caller.confirm(tx);
      const undelivered = await tx.outboxJob.count({
        where: { restaurantId: id, status: { in: ['PENDING', 'PROCESSING', 'FAILED'] } },
      });
      if (undelivered > 0)
        throw problem(
          RESTAURANT_CODES.UNDELIVERED_ORDERS,
          `${undelivered} orders of this restaurant still wait for the POS`,
        );
      const [{ parked } = { parked: 0 }] = await tx.$queryRaw<{ parked: number }[]>`
        SELECT count(*)::int AS parked FROM parked_jobs WHERE restaurant_id = ${id}::uuid`;
      if (parked > 0 && !abandon)
        throw problem(
          RESTAURANT_CODES.PARKED_ORDERS,
          `${parked} orders or cancels of this restaurant are parked and would never be sent: have them reset, cancel the orders, ` +
            'or delete the restaurant with ?parked=abandon',
        );
      const { name } = await tx.restaurant.update({
        where: { id, deletedAt: null },
        data: { deletedAt: new Date() },
      });
      const details = parked > 0 ? { abandoned: parked } : {};
      await this.audit.record(tx, caller, { action: RESTAURANT_DELETED, restaurantId: id, target: name, details });
    });
    this.revocations.announce();
  }

  private insert(actor: Actor, data: Prisma.RestaurantCreateInput): Promise<RestaurantView> {
    return this.prisma.$transaction(async (tx) => {
      const created = await tx.restaurant.create({ data: { ...data, foundedBy: await founderOf(tx, actor.userId) } });
      await this.audit.record(tx, actor, createdAct(created));
      return toView(created);
    });
  }

  /** The fields with the address of the POS as it is stored. @throws 400 VALIDATION_FAILED when it may not be called (Q19, G28) */
  private async checkedAddress<Fields extends { readonly posBaseUrl?: string | null }>(
    fields: Fields,
  ): Promise<Fields> {
    const { posBaseUrl: typed } = fields;
    if (typeof typed !== 'string') return fields;
    const refusal = (await this.outbound.refusalNow(typed)) ?? refusalOfBase(new URL(typed));
    if (refusal) throw problem('VALIDATION_FAILED', [`posBaseUrl: ${refusal}`]);
    return { ...fields, posBaseUrl: new URL(typed).href.replace(/\/+$/, '') };
  }

  /** With ONBOARDING=admin only platform administrators create restaurants and set their store codes (A18). @throws 403 */
  private refuseOnboardingBy({ role }: CurrentUser): void {
    if (this.config.onboarding === 'admin' && role !== 'ADMIN')
      throw problem(RESTAURANT_CODES.ONBOARDING_BY_ADMIN, ONBOARDING_TEXT);
  }

  /** Orders that the POS of before may have do not go to another one, nor do their cancels (Q14). @throws 409 VENDOR_HAS_ORDERS */
  private async refuseMovingOrders(tx: Prisma.TransactionClient, id: string): Promise<void> {
    const orders = await this.jobs.countMayBeThere(tx, id);
    if (orders > 0)
      throw problem(
        RESTAURANT_CODES.VENDOR_HAS_ORDERS,
        `the POS of before may have ${orders} orders that are not settled: wait until they are, enter them by hand, or cancel them`,
      );
    await this.jobs.parkCancels(tx, id);
  }

  private async find(where: Prisma.RestaurantWhereInput): Promise<Restaurant> {
    const restaurant = await this.prisma.restaurant.findFirst({ where: { ...where, deletedAt: null } });
    if (!restaurant) throw problem('NOT_FOUND', 'there is no such restaurant');
    return restaurant;
  }
}

function toView(row: Restaurant): RestaurantView {
  const {
    posSecret,
    deletedAt: _,
    daysSince: __,
    foundedBy: ___,
    codesVersion: ____,
    catalogueId: _____,
    pulls: ___________,
    posSince: ____________,
    mappedSince: ______________,
    posVendor,
    pausedAt: ______,
    pausedUntil: _______,
    pauseReason: ________,
    pausedBy: _________,
    resumingUntil: __________,
    resumingPerMinute: _____________,
    ...restaurant
  } = row;
  const hasPosSecret = posSecret !== null;
  const vendor = posVendor as VendorName | null;
  const warnings = restaurantWarnings({ ...restaurant, hasPosSecret, openDelivery: isOpenDelivery(vendor) });
  return { ...restaurant, posVendor: vendor, hasPosSecret, warnings };
}

function toOwnView({ restaurant, role, acceptedAt }: OwnLink): OwnRestaurantView {
  return { ...toView(restaurant), role, accepted: acceptedAt !== null };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { LocalCluster, Machine } from '../../../deploy/cluster/local.mjs';
import type { Random } from '../../random.js';
import type { EventLog } from '../event-log.js';
import type { ClusterFaultKind } from '../history.js';
import type { Instance } from '../instance.js';
import type { Operator } from '../operator.js';
import type { ChaosPos } from '../pos.js';
import type { Trial } from './outages.js';
import { type BesideFault, type ClusterFault, type Step, TTL_MS } from './plan.js';

/** Another member is the primary by then, however slow the machine. */
const PROMOTION_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 200;
/** A leader that died with all standbys away stays away for longer than its lock. */
const LEADER_AWAY_MS = TTL_MS + 8_000;

/** What the faults of a night are done to. */
export interface ClusterTargets {
  readonly cluster: LocalCluster;
  readonly synchronous: boolean;
  readonly instances: readonly Instance[];
  readonly pos: ChaosPos;
  readonly operator: Operator;
  readonly events: EventLog;
  readonly random: Random;
}

/** Injects the faults of a plan, and keeps when each began and when the cluster was whole again. */
export class ClusterFaults {
  readonly trials: Trial[] = [];

  constructor(private readonly targets: ClusterTargets) {}

  /** Resolves when the last fault is over and the cluster is whole. @throws when one could not be injected, or is not over */
  async inject(steps: readonly Step[]): Promise<void> {
    // the POS has one fault at a time
    let ofPos: Promise<void> = Promise.resolve();
    const { pos, events } = this.targets;
    const misbehave = (fault: Extract<BesideFault, { kind: 'pos' }>) => {
      ofPos = ofPos.then(async () => {
        const over = events.begin('pos', null, `POS: ${fault.how} for ${fault.forMs} ms`);
        await pos.misbehave(fault.how, fault.forMs);
        over();
      });
      return ofPos;
    };
    for (const { afterMs, fault, beside } of steps) {
      await delay(afterMs);
      const others = beside.map(async (each) => {
        await delay(each.afterMs);
        return each.kind === 'pos' ? misbehave(each) : this.beside(each);
      });
      await Promise.all([this.meet(fault), ...others]);
    }
    await this.untilWhole();
  }

  private async meet(fault: ClusterFault): Promise<void> {
    await this.untilWhole();
    switch (fault.kind) {
      case 'leader':
        return this.killLeader(fault);
      case 'pause':
        return this.pauseLeader(fault.forMs);
      case 'switchover':
        return this.switchOver();
      case 'quorum':
        return this.loseQuorum(fault);
      case 'standby':
        return this.pauseStandby(fault.forMs);
      case 'standbys':
        return this.loseStandbys(fault);
      default:
        return this.restart(fault, true);
    }
  }

  private async beside(fault: Exclude<BesideFault, { kind: 'pos' }>): Promise<void> {
    const { instances, operator } = this.targets;
    switch (fault.kind) {
      case 'relay-kill':
        return (instances[fault.relay] as Instance).kill();
      case 'relay-term':
        return (instances[fault.relay] as Instance).terminate();
      case 'reset':
        return operator.round();
      default:
        return this.restart(fault, false);
    }
  }

  private async killLeader({ dies, awayMs }: Extract<ClusterFault, { kind: 'leader' }>): Promise<void> {
    let timeline: number | undefined;
    const leader = await this.untilLed(async () => {
      timeline = await this.timeline();
      return timeline !== undefined;
    });
    const what = { machine: 'its whole machine', postgres: 'its Postgres', patroni: 'its Patroni, not its Postgres' };
    await this.trial(
      'leader',
      `leader killed: ${what[dies]}`,
      `kill -9 of leader ${leader.name}: ${what[dies]}`,
      async () => {
        if (dies === 'machine') leader.crash({ etcd: true });
        else if (dies === 'postgres') leader.signalPostgres('SIGKILL');
        else leader.patroni.signal('SIGKILL');
        await this.untilFailedOver(leader, timeline);
        await delay(awayMs);
        leader.start();
      },
    );
  }

  private async pauseLeader(ms: number): Promise<void> {
    const leader = await this.leader();
    await this.trial(
      'pause',
      'leader paused',
      `the machine of leader ${leader.name} is paused for ${ms} ms`,
      async () => {
        leader.pause();
        await delay(ms);
        leader.resume();
        this.targets.events.say(`the old primary ${leader.name} is awake again`);
      },
    );
  }

  private async switchOver(): Promise<void> {
    const leader = await this.leader();
    const candidate = await this.standby();
    const text = `patronictl switchover from ${leader.name} to ${candidate.name}`;
    await this.trial('switchover', 'switchover by patronictl', text, async () => {
      const said = await patronictl(
        leader,
        ...['switchover', '--force', '--leader', leader.name, '--candidate', candidate.name, 'relay'],
      );
      if (!/Successfully switched over/.test(said)) throw new Error(`patronictl switchover: ${said}`);
    });
  }

  private async loseQuorum({ standbyToo, forMs }: Extract<ClusterFault, { kind: 'quorum' }>): Promise<void> {
    const { cluster, random, events } = this.targets;
    const leader = await this.leader();
    const others = cluster.machines.filter((machine) => machine !== leader);
    const away = standbyToo ? [random.pick(others), leader] : random.some(cluster.machines, 2);
    const name = `etcd without a quorum${standbyToo ? ', one standby away too' : ', Postgres and Patroni whole'}`;
    const text = `etcd ${away.map((machine) => machine.name).join(' and ')} away for ${forMs} ms${standbyToo ? ', with the machine of the first' : ''}`;
    await this.trial('quorum', name, text, async () => {
      if (standbyToo) away[0]?.crash({ etcd: true });
      for (const machine of away) machine.etcd.signal('SIGKILL');
      await delay(forMs);
      const still = await cluster.primary();
      events.say(
        still ? `without a quorum, ${still.name} was primary all the while` : 'without a quorum, nobody is primary',
      );
      for (const machine of away) machine.start();
    });
  }

  private async pauseStandby(ms: number): Promise<void> {
    const standby = await this.standby();
    const text = `the machine of synchronous standby ${standby.name} is paused for ${ms} ms`;
    await this.trial('standby', 'synchronous standby paused', text, async () => {
      standby.pause();
      await delay(ms);
      standby.resume();
    });
  }

  private async loseStandbys({ leaderDies, forMs }: Extract<ClusterFault, { kind: 'standbys' }>): Promise<void> {
    const { cluster } = this.targets;
    const leader = await this.leader();
    const standbys = cluster.machines.filter((machine) => machine !== leader);
    const then = leaderDies ? `, then leader ${leader.name} dies and they come back` : '';
    const name = `both standbys away${leaderDies ? ', then the leader dies' : ` for ${Math.round(forMs / 1_000)} s`}`;
    await this.trial('standbys', name, `both standbys are away for ${forMs} ms${then}`, async () => {
      for (const machine of standbys) machine.crash({ etcd: false });
      await delay(forMs);
      if (leaderDies) leader.crash({ etcd: false });
      for (const machine of standbys) machine.start();
      if (!leaderDies) return;
      await delay(LEADER_AWAY_MS);
      this.targets.events.say(`the old leader ${leader.name} comes back`);
      leader.start();
    });
  }

  /** @param alone whether nothing else happens to the cluster, so that what is not accepted meanwhile is its doing */
  private async restart(
    fault: Extract<ClusterFault, { kind: 'haproxy' | 'pgbouncer' }>,
    alone: boolean,
  ): Promise<void> {
    const { kind, forMs } = fault;
    const front = this.targets.cluster.fronts[fault.front] as Machine;
    const text = `kill -9 of ${kind} ${front.name}, started again after ${forMs} ms`;
    const work = async () => {
      await front[kind].end('SIGKILL');
      await delay(forMs);
      front[kind].start();
    };
    if (alone) return this.trial(kind, `${kind} of one relay killed`, text, work);
    const over = this.targets.events.begin(kind, null, text);
    await work();
    over();
  }

  /** A fault from its beginning until the cluster is whole again. */
  private async trial(kind: ClusterFaultKind, name: string, text: string, work: () => Promise<void>): Promise<void> {
    const at = Date.now();
    const over = this.targets.events.begin(kind, null, text);
    await work();
    await this.untilWhole();
    this.trials.push({ name, at, until: Date.now() });
    over(`${name}: over after ${((Date.now() - at) / 1_000).toFixed(1)} s`);
  }

  private untilWhole(): Promise<void> {
    return this.targets.cluster.untilWhole({ synchronous: this.targets.synchronous });
  }

  private leader(): Promise<Machine> {
    return this.untilLed(() => true);
  }

  /**
   * Resolves when a member has been promoted. It may be the old leader: when only its Postgres died, its Patroni gives up the lock, starts
   * Postgres again, and takes part in the election.
   */
  private async untilFailedOver(leader: Machine, timeline = 0): Promise<void> {
    const now = await this.untilLed(async (machine) => machine !== leader || ((await this.timeline()) ?? 0) > timeline);
    if (now === leader) this.targets.events.say(`the old leader ${leader.name} is elected again`);
  }

  /** The timeline of the primary; each promotion begins a new one. Undefined while no member knows it. */
  private async timeline(): Promise<number | undefined> {
    const members = await this.targets.cluster.members();
    return members.find(({ role }) => role === 'leader')?.timeline;
  }

  /** The primary, as soon as there is one that fits. */
  private async untilLed(fits: (machine: Machine) => boolean | Promise<boolean>): Promise<Machine> {
    const startedAt = performance.now();
    for (;;) {
      const leader = await this.targets.cluster.primary();
      if (leader && (await fits(leader))) return leader;
      if (performance.now() - startedAt > PROMOTION_LIMIT_MS) throw new Error('no member becomes the primary');
      await delay(LOOK_EVERY_MS);
    }
  }

  /** The standby that may become primary: the synchronous one, where there is one. */
  private async standby(): Promise<Machine> {
    const { cluster, synchronous } = this.targets;
    const members = await cluster.members();
    const role = synchronous ? 'sync_standby' : 'replica';
    const found = members.find((member) => member.role === role)?.name;
    const machine = cluster.machines.find(({ name }) => name === found);
    if (!machine) throw new Error(`no ${role}: ${JSON.stringify(members)}`);
    return machine;
  }
}

/** @returns what it said */
export async function patronictl({ ctl, how }: Machine, ...args: string[]): Promise<string> {
  const [program, ...first] = ctl;
  const child = spawn(program as string, [...first, ...args], { ...how.user, cwd: '/', env: how.env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  await once(child, 'close');
  return said.trim();
}

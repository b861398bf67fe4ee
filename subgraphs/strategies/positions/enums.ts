import { registerEnumType } from 'type-graphql';
import { DELTA_REASONS } from '../../../src/strategies/positions/apply-deltas';
import { STALE_REASONS } from '../../../src/strategies/positions/spot-position';
import { SNAPSHOT_STATES } from '../../../src/strategies/positions/wallet-earn';
import { namedEnum } from '../../schema/named-enum';

export const PositionProblemEnum = namedEnum(STALE_REASONS);
registerEnumType(PositionProblemEnum, {
  name: 'PositionProblem',
  description:
    'Why a position is stale: its cost and profit or some of its rewards are missing, or it is the last known one.',
  valuesConfig: {
    HISTORY_INCOMPLETE: { description: 'The history of the position is being read. Retry later.' },
    HISTORY_TOO_LONG: { description: 'The position has more changes than are read.' },
    HISTORY_UNVALUED: {
      description: 'The node of the chain keeps no old states, which the value of a transfer needs.',
    },
    HISTORY_CONTRADICTED: {
      description: 'The history contradicts the balance on the chain. It is read again.',
    },
    REWARDS_UNREAD: { description: 'Some rewards cannot be read. `availableToClaim` lacks them.' },
    CHAIN_UNAVAILABLE: { description: 'The chain does not respond. The position is that of the last known block.' },
    SNAPSHOT_STALE: { description: 'Newer positions could not be read in time. The position is the last known one.' },
  },
});

export const SnapshotStateEnum = namedEnum(SNAPSHOT_STATES);
registerEnumType(SnapshotStateEnum, {
  name: 'SnapshotState',
  description: 'State of a section of a wallet.',
  valuesConfig: {
    fresh: { description: 'Everything was read just now.' },
    stale: { description: 'Something is missing.' },
    computing: { description: 'The history of some positions, or a newer state of all, is still being read.' },
    failed: { description: 'Nothing could be read.' },
  },
});

export const EarnDeltaReasonEnum = namedEnum(DELTA_REASONS);
registerEnumType(EarnDeltaReasonEnum, {
  name: 'EarnDeltaReason',
  description: 'What actions that were executed after the block of their position mean for the positions.',
  valuesConfig: {
    EXECUTED_ACTIONS: { description: 'The positions contain the amounts of all of them.' },
    UNKNOWN_AMOUNTS: { description: 'The positions lack some of them: their exact effect is unknown yet.' },
  },
});

export const PositionChangeTypeEnum = namedEnum(['DEPOSIT', 'WITHDRAW', 'TRANSFER_IN', 'TRANSFER_OUT']);
registerEnumType(PositionChangeTypeEnum, {
  name: 'PositionChangeType',
  description: 'How a deposit changed.',
  valuesConfig: {
    DEPOSIT: { description: 'Assets were deposited for the wallet.' },
    WITHDRAW: { description: 'Assets of the wallet were withdrawn.' },
    TRANSFER_IN: { description: 'The wallet received shares.' },
    TRANSFER_OUT: { description: 'Shares left the wallet.' },
  },
});

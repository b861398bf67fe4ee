// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IRewardedComet {
    function accrueAccount(address account) external;
    function baseTrackingAccrued(address account) external view returns (uint64);
}

/// Pays rewards to depositors of Comets, with the interface, rounding, events and errors of the protocol.
contract CometRewards {
    error AlreadyConfigured(address comet);
    error NotPermitted(address account);
    error NotSupported(address comet);

    event RewardClaimed(address indexed src, address indexed recipient, address indexed token, uint256 amount);

    struct RewardConfig {
        address token;
        uint64 rescaleFactor;
        bool shouldUpscale;
    }

    struct RewardOwed {
        address token;
        uint256 owed;
    }

    address public immutable governor;
    mapping(address comet => RewardConfig) public rewardConfig;
    mapping(address comet => mapping(address account => uint256)) public rewardsClaimed;

    constructor() {
        governor = msg.sender;
    }

    /// The rescale factor is what the six decimals of an accrual lack to those of the token.
    function setRewardConfig(address comet, address token, uint64 rescaleFactor) external {
        if (msg.sender != governor) revert NotPermitted(msg.sender);
        if (rewardConfig[comet].token != address(0)) revert AlreadyConfigured(comet);
        rewardConfig[comet] = RewardConfig(token, rescaleFactor, true);
    }

    /// Not a view: the Comet accrues first.
    function getRewardOwed(address comet, address account) external returns (RewardOwed memory) {
        RewardConfig memory config = configOf(comet);
        IRewardedComet(comet).accrueAccount(account);
        (, uint256 owed) = accruedAndOwed(comet, account, config);
        return RewardOwed(config.token, owed);
    }

    /// Any account may claim for another one, which receives the reward.
    function claim(address comet, address src, bool shouldAccrue) external {
        RewardConfig memory config = configOf(comet);
        if (shouldAccrue) IRewardedComet(comet).accrueAccount(src);
        (uint256 accrued, uint256 owed) = accruedAndOwed(comet, src, config);
        if (owed == 0) return;
        rewardsClaimed[comet][src] = accrued;
        SafeERC20.safeTransfer(IERC20(config.token), src, owed);
        emit RewardClaimed(src, src, config.token, owed);
    }

    function accruedAndOwed(address comet, address account, RewardConfig memory config)
        private
        view
        returns (uint256 accrued, uint256 owed)
    {
        accrued = uint256(IRewardedComet(comet).baseTrackingAccrued(account)) * config.rescaleFactor;
        uint256 claimed = rewardsClaimed[comet][account];
        owed = accrued > claimed ? accrued - claimed : 0;
    }

    function configOf(address comet) private view returns (RewardConfig memory config) {
        config = rewardConfig[comet];
        if (config.token == address(0)) revert NotSupported(comet);
    }
}

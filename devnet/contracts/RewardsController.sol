// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

interface IScaledToken {
    function decimals() external view returns (uint8);
    function scaledTotalSupply() external view returns (uint256);
    function scaledBalanceOf(address user) external view returns (uint256);
}

/// Pays rewards to depositors of Aave V3, with the interface, rounding and events of the protocol. Any account may configure
/// it: money of a local chain is worth nothing.
contract RewardsController {
    event Accrued(
        address indexed asset,
        address indexed reward,
        address indexed user,
        uint256 assetIndex,
        uint256 userIndex,
        uint256 rewardsAccrued
    );
    event RewardsClaimed(
        address indexed user, address indexed reward, address indexed to, address claimer, uint256 amount
    );

    struct UserReward {
        uint256 index;
        uint256 accrued;
    }

    struct Distribution {
        uint256 index;
        uint256 emissionPerSecond;
        uint256 updatedAt;
        uint256 end;
        mapping(address user => UserReward) users;
    }

    mapping(address asset => address[]) private rewards;
    mapping(address asset => mapping(address reward => Distribution)) private distributions;

    /// Distributes a reward to the holders of an asset, until a time in Unix seconds.
    function configure(address asset, address reward, uint256 emissionPerSecond, uint256 end) external {
        Distribution storage distribution = distributions[asset][reward];
        if (distribution.updatedAt == 0) rewards[asset].push(reward);
        distribution.index = indexNow(asset, distribution, IScaledToken(asset).scaledTotalSupply());
        distribution.updatedAt = block.timestamp;
        distribution.emissionPerSecond = emissionPerSecond;
        distribution.end = end;
    }

    /// Called by an asset before a balance of it changes.
    function handleAction(address user, uint256 totalSupply, uint256 userBalance) external {
        address[] storage own = rewards[msg.sender];
        for (uint256 i = 0; i < own.length; i++) accrue(msg.sender, own[i], user, totalSupply, userBalance);
    }

    function getRewardsByAsset(address asset) external view returns (address[] memory) {
        return rewards[asset];
    }

    function getRewardsData(address asset, address reward)
        external
        view
        returns (uint256 index, uint256 emissionPerSecond, uint256 lastUpdateTimestamp, uint256 distributionEnd)
    {
        Distribution storage distribution = distributions[asset][reward];
        return (distribution.index, distribution.emissionPerSecond, distribution.updatedAt, distribution.end);
    }

    function getUserRewards(address[] calldata assets, address user, address reward)
        external
        view
        returns (uint256 total)
    {
        for (uint256 i = 0; i < assets.length; i++) {
            Distribution storage distribution = distributions[assets[i]][reward];
            IScaledToken asset = IScaledToken(assets[i]);
            uint256 index = indexNow(assets[i], distribution, asset.scaledTotalSupply());
            UserReward storage own = distribution.users[user];
            total += own.accrued + earned(assets[i], asset.scaledBalanceOf(user), index - own.index);
        }
    }

    function claimRewards(address[] calldata assets, uint256 amount, address to, address reward)
        external
        returns (uint256 claimed)
    {
        require(to != address(0), "INVALID_TO_ADDRESS");
        if (amount == 0) return 0;
        for (uint256 i = 0; i < assets.length && claimed < amount; i++) {
            IScaledToken asset = IScaledToken(assets[i]);
            accrue(assets[i], reward, msg.sender, asset.scaledTotalSupply(), asset.scaledBalanceOf(msg.sender));
            UserReward storage own = distributions[assets[i]][reward].users[msg.sender];
            uint256 part = Math.min(own.accrued, amount - claimed);
            own.accrued -= part;
            claimed += part;
        }
        if (claimed == 0) return 0;
        SafeERC20.safeTransfer(IERC20(reward), to, claimed);
        emit RewardsClaimed(msg.sender, reward, to, msg.sender, claimed);
    }

    function accrue(address asset, address reward, address user, uint256 totalSupply, uint256 userBalance) private {
        Distribution storage distribution = distributions[asset][reward];
        distribution.index = indexNow(asset, distribution, totalSupply);
        distribution.updatedAt = block.timestamp;
        UserReward storage own = distribution.users[user];
        if (own.index == distribution.index) return;
        uint256 added = earned(asset, userBalance, distribution.index - own.index);
        own.index = distribution.index;
        own.accrued += added;
        emit Accrued(asset, reward, user, distribution.index, distribution.index, added);
    }

    function indexNow(address asset, Distribution storage distribution, uint256 totalSupply)
        private
        view
        returns (uint256)
    {
        uint256 until = Math.min(block.timestamp, distribution.end);
        if (totalSupply == 0 || until <= distribution.updatedAt) return distribution.index;
        uint256 emitted = distribution.emissionPerSecond * (until - distribution.updatedAt);
        return distribution.index + (emitted * unitOf(asset)) / totalSupply;
    }

    function earned(address asset, uint256 balance, uint256 indexDelta) private view returns (uint256) {
        return (balance * indexDelta) / unitOf(asset);
    }

    function unitOf(address asset) private view returns (uint256) {
        return 10 ** IScaledToken(asset).decimals();
    }
}

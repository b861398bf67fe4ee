// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {YieldVault} from "./YieldVault.sol";

/// A vault with losses that its previews do not show, as those of Yearn: a redemption with three arguments accepts any loss, one
/// with four arguments is bounded, and a withdrawal accepts none.
contract LossVault is YieldVault {
    uint256 private constant ALL_BASIS_POINTS = 10_000;
    address private constant BURNT = 0x000000000000000000000000000000000000dEaD;

    /// Part of each withdrawal that is lost.
    uint256 public lossBps;
    uint256 private acceptedLossBps;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint256 yearlyRate_, uint8 offset_)
        YieldVault(asset_, name_, symbol_, yearlyRate_, offset_)
    {}

    function setLoss(uint256 lossBps_) external {
        lossBps = lossBps_;
    }

    function maxRedeem(address owner, uint256) external view returns (uint256) {
        return maxRedeem(owner);
    }

    function redeem(uint256 shares, address receiver, address owner) public override returns (uint256) {
        return redeem(shares, receiver, owner, ALL_BASIS_POINTS);
    }

    function redeem(uint256 shares, address receiver, address owner, uint256 maxLoss) public returns (uint256) {
        acceptedLossBps = maxLoss;
        uint256 assets = super.redeem(shares, receiver, owner);
        acceptedLossBps = 0;
        return assets - lossOn(assets);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        require(lossBps <= acceptedLossBps, "too much loss");
        uint256 loss = lossOn(assets);
        if (loss != 0) _transferOut(BURNT, loss);
        super._withdraw(caller, receiver, owner, assets - loss, shares);
    }

    function lossOn(uint256 assets) private view returns (uint256) {
        return (assets * lossBps) / ALL_BASIS_POINTS;
    }
}

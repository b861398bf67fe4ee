// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {YieldVault} from "./YieldVault.sol";

/// A vault that keeps a part of every withdrawal for a recipient.
contract ExitFeeVault is YieldVault {
    using Math for uint256;

    uint256 private constant ALL_BASIS_POINTS = 10_000;
    uint256 public immutable exitFeeBps;
    address public immutable feeRecipient;

    constructor(
        IERC20 asset_,
        string memory name_,
        string memory symbol_,
        uint256 yearlyRate_,
        uint8 offset_,
        uint256 exitFeeBps_,
        address feeRecipient_
    ) YieldVault(asset_, name_, symbol_, yearlyRate_, offset_) {
        exitFeeBps = exitFeeBps_;
        feeRecipient = feeRecipient_;
    }

    function previewWithdraw(uint256 assets) public view override returns (uint256) {
        return super.previewWithdraw(assets + feeOnTop(assets));
    }

    function previewRedeem(uint256 shares) public view override returns (uint256) {
        uint256 assets = super.previewRedeem(shares);
        return assets - assets.mulDiv(exitFeeBps, ALL_BASIS_POINTS + exitFeeBps, Math.Rounding.Ceil);
    }

    function _withdraw(address caller, address receiver, address owner, uint256 assets, uint256 shares)
        internal
        override
    {
        super._withdraw(caller, receiver, owner, assets, shares);
        SafeERC20.safeTransfer(IERC20(asset()), feeRecipient, feeOnTop(assets));
    }

    function feeOnTop(uint256 assets) private view returns (uint256) {
        return assets.mulDiv(exitFeeBps, ALL_BASIS_POINTS, Math.Rounding.Ceil);
    }
}

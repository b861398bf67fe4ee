// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {RequestVault} from "./RequestVault.sol";

/// A vault of ERC-7540 that steals: it forgets half of a request, gives half of what is claimed, or states twice as much to be
/// claimable as there is.
contract LyingRequestVault is RequestVault {
    bool public forgetsRequests;
    bool public givesHalf;
    bool public statesDouble;

    constructor(IERC20 asset_, string memory name_, string memory symbol_, uint256 yearlyRate_)
        RequestVault(asset_, name_, symbol_, yearlyRate_, true, true)
    {}

    function lie(bool forgetsRequests_, bool givesHalf_, bool statesDouble_) external {
        (forgetsRequests, givesHalf, statesDouble) = (forgetsRequests_, givesHalf_, statesDouble_);
    }

    function pendingDepositRequest(uint256 id, address controller) public view override returns (uint256) {
        return super.pendingDepositRequest(id, controller) / (forgetsRequests ? 2 : 1);
    }

    function pendingRedeemRequest(uint256 id, address controller) public view override returns (uint256) {
        return super.pendingRedeemRequest(id, controller) / (forgetsRequests ? 2 : 1);
    }

    function claimableDepositRequest(uint256 id, address controller) public view override returns (uint256) {
        return super.claimableDepositRequest(id, controller) * (statesDouble ? 2 : 1);
    }

    function claimableRedeemRequest(uint256 id, address controller) public view override returns (uint256) {
        return super.claimableRedeemRequest(id, controller) * (statesDouble ? 2 : 1);
    }

    function maxDeposit(address controller) public view override returns (uint256) {
        return super.maxDeposit(controller) * (statesDouble ? 2 : 1);
    }

    function maxMint(address controller) public view override returns (uint256) {
        return super.maxMint(controller) * (statesDouble ? 2 : 1);
    }

    function maxWithdraw(address controller) public view override returns (uint256) {
        return super.maxWithdraw(controller) * (statesDouble ? 2 : 1);
    }

    function maxRedeem(address controller) public view override returns (uint256) {
        return super.maxRedeem(controller) * (statesDouble ? 2 : 1);
    }

    function _giveShares(address controller, address receiver, uint256 assets, uint256 shares) internal override {
        super._giveShares(controller, receiver, assets, givesHalf ? shares / 2 : shares);
    }

    function _payAssets(address controller, address receiver, uint256 assets, uint256 shares) internal override {
        super._payAssets(controller, receiver, givesHalf ? assets / 2 : assets, shares);
    }
}

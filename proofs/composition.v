(* Composition under pure epsilon: src/privacy/accountant.proof.md, "Pure", and what a gate releases. *)
From Coq Require Import Reals ZArith List Lia Lra Arith.
From Hedgerow Require Import sums law choice account.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

Section Composition.
  Context {O : Type} (dec : forall x y : O, {x = y} + {x <> y}).

  (* What a run of m releases draws: each step's law depends on what was released before. A run that ends early draws the
     same public outcome from then on, at no cost. *)
  Fixpoint run (step : list O -> O -> R) (m : nat) (past : list O) : list O -> R :=
    match m with
    | 0%nat => nothing
    | S m => chain (step past) (fun y => run step m (past ++ [y]))
    end.

  Lemma run_is_law step m past : (forall past, is_law (step past)) -> is_law (run step m past).
  Proof.
    intros Hs. revert past. induction m as [|m IH]; intros past; cbn [run]; [now apply nothing_is_law|].
    apply chain_is_law; auto.
  Qed.

  (* The costs of a transcript, given what came before it. *)
  Fixpoint spent (cost : list O -> R) (past ys : list O) : R :=
    match ys with [] => 0 | y :: ys => cost past + spent cost (past ++ [y]) ys end.

  (* Each step's ratio is at most exp of what the step costs: that of the run, at most exp of the sum. *)
  Lemma run_ratio (step step' : list O -> O -> R) (cost : list O -> R) (end_of_run m : nat) past ys :
    (length past + m <= end_of_run)%nat ->
    (forall past y, 0 <= step past y) -> (forall past y, 0 <= step' past y) ->
    (forall past y, (length past < end_of_run)%nat -> step past y <= exp (cost past) * step' past y) ->
    0 <= run step m past ys <= exp (spent cost past ys) * run step' m past ys.
  Proof.
    intros Hm Hs Hs' H. revert past ys Hm. induction m as [|m IH]; intros past ys Hm; cbn [run].
    - destruct ys as [|y ys]; cbn [nothing spent]; [rewrite exp_0|]; lra.
    - destruct ys as [|y ys]; cbn [chain spent]; [rewrite exp_0; lra|].
      destruct (IH (past ++ [y]) ys) as [H0 H1]; [rewrite app_length; cbn [length]; lia|].
      split; [apply Rmult_le_pos; auto|].
      rewrite exp_plus. set (rest := spent cost (past ++ [y]) ys) in *.
      replace (exp (cost past) * exp rest * (step' past y * run step' m (past ++ [y]) ys))
        with (exp (cost past) * step' past y * (exp rest * run step' m (past ++ [y]) ys)) by ring.
      apply Rmult_le_compat; auto. apply H. lia.
  Qed.

  (* The lines of a transcript: a line's owner, group, part and cost are settled by what was released before. *)
  Fixpoint lines (line_of : list O -> line * R) (past ys : list O) : list (line * R) :=
    match ys with [] => [] | y :: ys => line_of past :: lines line_of (past ++ [y]) ys end.

  Lemma spent_is_sum line_of (b : line -> bool) past ys :
    spent (fun past => if b (fst (line_of past)) then snd (line_of past) else 0) past ys =
    sum snd (filter (fun e => b (fst e)) (lines line_of past ys)).
  Proof.
    revert past. induction ys as [|y ys IH]; intros past; cbn [spent lines]; [reflexivity|].
    cbn [filter]. rewrite IH. destruct (b (fst (line_of past))); [now rewrite sum_cons|lra].
  Qed.

  Lemma lines_nonneg line_of past ys :
    (forall past, 0 <= snd (line_of past)) -> forall e, In e (lines line_of past ys) -> 0 <= snd e.
  Proof.
    intros H. revert past. induction ys as [|y ys IH]; intros past e; [easy|]. intros [<-|He]; [apply H|].
    now apply IH in He.
  Qed.

  Lemma run_length step m past ys : run step m past ys <> 0 -> length ys = m.
  Proof.
    revert past ys. induction m as [|m IH]; intros past [|y ys]; cbn; try easy.
    intros H. f_equal. apply (IH (past ++ [y])). intros E. apply H. rewrite E. ring.
  Qed.

  (* What a gate releases, for one assignment of the records to owners and parts. The record that is added has the owner
     own (0: none) and is in the part part_of o g of the group g of owner o. Lines of other parts and owners have one law
     with and without it; its lines are private for their cost; no transcript's account exceeds the budget. *)
  Record covered (line_of : list O -> line * R) (own : nat) (part_of : nat -> nat -> nat) (m : nat) (budget : R)
      (step step' : list O -> O -> R) : Prop := {
    laws : forall past, is_law (step past);
    laws' : forall past, is_law (step' past);
    costs : forall past, 0 <= snd (line_of past);
    others : forall past, moved own part_of (fst (line_of past)) = false -> forall y, step past y = step' past y;
    its_lines : forall past, moved own part_of (fst (line_of past)) = true ->
      private (snd (line_of past)) (step past) (step' past);
    within_budget : forall ys, length ys = m -> account fst snd (lines line_of [] ys) <= budget
  }.

  Lemma covered_sym line_of own part_of m budget step step' :
    covered line_of own part_of m budget step step' -> covered line_of own part_of m budget step' step.
  Proof.
    intros [L L' C Ot I W]. constructor; auto.
    - intros past H y. symmetry. now apply Ot.
    - intros past H. destruct (I past H). now split.
  Qed.

  Lemma covered_ratio line_of own part_of m budget step step' ys :
    covered line_of own part_of m budget step step' -> run step m [] ys <= exp budget * run step' m [] ys.
  Proof.
    intros [L L' C Ot I W].
    assert (Hr : 0 <= run step m [] ys <=
      exp (spent (fun past => if moved own part_of (fst (line_of past)) then snd (line_of past) else 0) [] ys)
        * run step' m [] ys).
    { apply run_ratio with (end_of_run := m); [cbn; lia|intros; apply L|intros; apply L'|]. intros past y _.
      destruct (moved own part_of (fst (line_of past))) eqn:Hm.
      - apply within_pointwise; [apply L|apply L'|now apply I].
      - rewrite exp_0, (Ot past Hm). lra. }
    destruct Hr as [H0 H1]. apply Rle_trans with (1 := H1).
    assert (Hn : 0 <= run step' m [] ys) by now apply run_is_law.
    destruct (Req_dec (run step' m [] ys) 0) as [E|E]; [rewrite E; lra|].
    apply Rmult_le_compat_r; [exact Hn|]. apply exp_grows. rewrite spent_is_sum.
    apply Rle_trans with (account fst snd (lines line_of [] ys)).
    - apply moved_below_account. now apply lines_nonneg.
    - apply W. now apply run_length in E.
  Qed.

  Lemma covered_private line_of own part_of m budget step step' :
    covered line_of own part_of m budget step step' -> private budget (run step m []) (run step' m []).
  Proof.
    intros H. split; apply pointwise_within; intros ys; [|apply covered_sym in H]; eapply covered_ratio; exact H.
  Qed.

  (* Coins a, of weights w a, assign the records to parts: the law of what is released is the mixture. *)
  Definition mixture {A T : Type} (w : A -> R) (coins : list A) (P : A -> T -> R) (y : T) : R :=
    sum (fun a => w a * P a y) coins.

  Lemma mixture_private {A T : Type} epsilon (w : A -> R) (coins : list A) (P P' : A -> T -> R) :
    (forall a, 0 <= w a) -> (forall a, In a coins -> forall y, 0 <= P a y /\ 0 <= P' a y) ->
    (forall a, In a coins -> private epsilon (P a) (P' a)) ->
    private epsilon (mixture w coins P) (mixture w coins P').
  Proof.
    intros Hw Hn H. unfold mixture.
    split; apply pointwise_within; intros y; rewrite <- sum_scale; apply sum_le; intros a Ha;
      rewrite <- Rmult_assoc, (Rmult_comm (exp epsilon)), Rmult_assoc; apply Rmult_le_compat_l; auto;
      apply within_pointwise; try (intros z; now apply Hn); now apply H.
  Qed.
End Composition.

(* All that a gate of pure epsilon releases in m steps is private for its budget. The coins that assign records to parts
   are secret, and have the same law with and without the record. *)
Theorem gate_private {O A : Type} (dec : forall x y : O, {x = y} + {x <> y}) (w : A -> R) (coins : list A)
    (line_of : list O -> line * R) (own : A -> nat) (part_of : A -> nat -> nat -> nat) (m : nat) (budget : R)
    (step step' : A -> list O -> O -> R) :
  (forall a, 0 <= w a) ->
  (forall a, In a coins -> covered line_of (own a) (part_of a) m budget (step a) (step' a)) ->
  private budget (mixture w coins (fun a => run (step a) m [])) (mixture w coins (fun a => run (step' a) m [])).
Proof.
  intros Hw H. apply mixture_private; [exact Hw| |].
  - intros a Ha ys. specialize (H a Ha). destruct H as [L L' _ _ _ _]. split; now apply run_is_law.
  - intros a Ha. apply (covered_private dec line_of (own a) (part_of a)). now apply H.
Qed.

(* Parallel composition by itself: releases on disjoint parts, of which a record is in one, cost what one of them does. *)
Theorem parallel_composition {O : Type} (dec : forall x y : O, {x = y} + {x <> y}) epsilon
    (before after : list (O -> R)) (P P' : O -> R) :
  0 <= epsilon -> (forall Q, In Q (P :: P' :: before ++ after) -> is_law Q) -> private epsilon P P' ->
  private epsilon (joint (before ++ P :: after)) (joint (before ++ P' :: after)).
Proof.
  intros He Hl Hp.
  assert (Hboth : forall Q Q', is_law Q -> is_law Q' -> within epsilon Q Q' ->
            within epsilon (joint (before ++ Q :: after)) (joint (before ++ Q' :: after))).
  { intros Q Q' HQ HQ' Hw. apply pointwise_within.
    assert (Hafter : is_law (joint after)).
    { apply joint_is_law; [exact dec|]. intros R HR. apply Hl. right. right. apply in_or_app. now right. }
    assert (Hbefore : forall R, In R before -> is_law R).
    { intros R HR. apply Hl. right. right. apply in_or_app. now left. }
    clear Hl. induction before as [|R before' IH]; intros ys; cbn [app joint].
    - destruct ys as [|y ys]; cbn [chain]; [lra|]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply Hafter|].
      apply within_pointwise; [apply HQ|apply HQ'|exact Hw].
    - destruct ys as [|y ys]; cbn [chain]; [lra|]. rewrite <- Rmult_assoc, (Rmult_comm (exp epsilon)), Rmult_assoc.
      apply Rmult_le_compat_l; [apply Hbefore; now left|]. apply IH. intros S HS. apply Hbefore. now right. }
  destruct Hp. split; apply Hboth; auto; apply Hl; cbn; auto.
Qed.

(* The costs of releases, each drawn and priced in view of the ones before, add up along every transcript. *)
Theorem adaptive_composition {O : Type} (dec : forall x y : O, {x = y} + {x <> y}) (epsilon : R) (m : nat)
    (cost : list O -> R) (step step' : list O -> O -> R) :
  (forall past, is_law (step past)) -> (forall past, is_law (step' past)) ->
  (forall past, (length past < m)%nat -> private (cost past) (step past) (step' past)) ->
  (forall ys, length ys = m -> spent cost [] ys <= epsilon) ->
  private epsilon (run step m []) (run step' m []).
Proof.
  intros L L' H Hsum.
  assert (Hboth : forall f g : list O -> O -> R, (forall past, is_law (f past)) -> (forall past, is_law (g past)) ->
            (forall past, (length past < m)%nat -> within (cost past) (f past) (g past)) ->
            within epsilon (run f m []) (run g m [])).
  { intros f g Lf Lg Hw. apply pointwise_within. intros ys.
    assert (Hn : 0 <= run g m [] ys) by now apply run_is_law.
    assert (Hr : 0 <= run f m [] ys <= exp (spent cost [] ys) * run g m [] ys).
    { apply run_ratio with (end_of_run := m); [cbn; lia|intros; apply Lf|intros; apply Lg|].
      intros past y Hy. apply within_pointwise; [apply Lf|apply Lg|now apply Hw]. }
    destruct (Req_dec (run g m [] ys) 0) as [E|E]; [rewrite E in *; lra|].
    apply Rle_trans with (1 := proj2 Hr). apply Rmult_le_compat_r; [exact Hn|]. apply exp_grows, Hsum.
    now apply run_length in E. }
  split; apply Hboth; auto; intros past Hp; now apply H.
Qed.

Lemma skipn_nth (l : list R) i : (i < length l)%nat -> skipn i l = nth i l 0 :: skipn (S i) l.
Proof. revert i. induction l as [|a l IH]; intros [|i] H; cbn in *; try lia; [reflexivity|]. apply IH. lia. Qed.

Lemma spent_in_turn {O : Type} (epsilons : list R) (past ys : list O) :
  (length past + length ys = length epsilons)%nat ->
  spent (fun past => nth (length past) epsilons 0) past ys = sum (fun e => e) (skipn (length past) epsilons).
Proof.
  revert past. induction ys as [|y ys IH]; intros past H; cbn [spent length] in *.
  - rewrite Nat.add_0_r in H. now rewrite H, skipn_all.
  - rewrite (skipn_nth epsilons (length past)) by lia. rewrite sum_cons, IH; rewrite app_length; cbn [length].
    + now rewrite Nat.add_1_r.
    + lia.
Qed.

(* Sequential composition by itself: the costs of releases, each drawn in view of the ones before, add up. *)
Theorem sequential_composition {O : Type} (dec : forall x y : O, {x = y} + {x <> y}) (epsilons : list R)
    (step step' : list O -> O -> R) :
  (forall past, is_law (step past)) -> (forall past, is_law (step' past)) ->
  (forall past, (length past < length epsilons)%nat ->
     private (nth (length past) epsilons 0) (step past) (step' past)) ->
  private (sum (fun e => e) epsilons) (run step (length epsilons) []) (run step' (length epsilons) []).
Proof.
  intros L L' H. apply (adaptive_composition dec) with (cost := fun past => nth (length past) epsilons 0); auto.
  intros ys E. rewrite spent_in_turn; [apply Rle_refl|exact E].
Qed.

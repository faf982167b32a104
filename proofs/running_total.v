(* The gate's running total is the account of its lines: src/privacy/accountant.c, src/privacy/accountant.proof.md,
   "Integers". The tables that hold the costs of parts and groups are functions here. *)
From Coq Require Import Reals ZArith List Lia Lra Arith Permutation.
From Hedgerow Require Import sums choice account.
Import ListNotations.
Open Scope R_scope.

Record totals := { parts : nat -> nat -> Z; costliest : nat -> Z; total : Z }.

Definition no_totals : totals := {| parts := fun _ _ => 0%Z; costliest := fun _ => 0%Z; total := 0%Z |}.

(* group_cost, of accountant.c: what the group costs once `cost` is added to the part. *)
Definition group_would_cost (s : totals) (g p : nat) (cost : Z) : Z := Z.max (parts s g p + cost) (costliest s g).

(* hr_running_total_would_be *)
Definition would_be (s : totals) (g p : nat) (cost : Z) : Z := (total s - costliest s g + group_would_cost s g p cost)%Z.

(* hr_running_total_add *)
Definition add (s : totals) (g p : nat) (cost : Z) : totals :=
  {| parts := fun h q => if (h =? g)%nat && (q =? p)%nat then (parts s g p + cost)%Z else parts s h q;
     costliest := fun h => if (h =? g)%nat then group_would_cost s g p cost else costliest s h;
     total := would_be s g p cost |}.

(* A line of a gate has no owner. *)
Record entry := { at_group : nat; at_part : nat; units : Z }.
Definition key (e : entry) : line := {| owner := 0; group := at_group e; part := at_part e |}.
Definition cost (e : entry) : R := IZR (units e).
Definition add_entry (e : entry) (s : totals) : totals := add s (at_group e) (at_part e) (units e).

(* After the lines `entries`, the newest first. *)
Definition totals_of (entries : list entry) : totals := fold_right add_entry no_totals entries.

Section OneMore.
  Variables (e : entry) (l : list entry).
  Hypothesis nonneg : forall a, In a (e :: l) -> (0 <= units a)%Z.

  Lemma costs_nonneg a : In a (e :: l) -> 0 <= cost a.
  Proof. intros H. apply IZR_le. now apply nonneg. Qed.

  Lemma of_part_key g p a : of_part 0 g p (key a) = ((at_group a =? g)%nat && (at_part a =? p)%nat)%bool.
  Proof. reflexivity. Qed.

  Lemma part_one_more g p :
    part_cost key cost (e :: l) 0 g p =
    (if (at_group e =? g)%nat && (at_part e =? p)%nat then cost e else 0) + part_cost key cost l 0 g p.
  Proof.
    unfold part_cost. cbn [filter]. rewrite of_part_key.
    destruct ((at_group e =? g)%nat && (at_part e =? p)%nat)%bool; [apply sum_cons|lra].
  Qed.

  Lemma group_one_more g :
    group_cost key cost (e :: l) 0 g =
    if (at_group e =? g)%nat then Rmax (part_cost key cost l 0 g (at_part e) + cost e) (group_cost key cost l 0 g)
    else group_cost key cost l 0 g.
  Proof.
    assert (Hc : 0 <= cost e) by (apply costs_nonneg; now left).
    assert (Hle : group_cost key cost l 0 g <= group_cost key cost (e :: l) 0 g).
    { apply largest_le; [apply largest_nonneg|]. intros a _.
      apply Rle_trans with (2 := part_below_group key cost (e :: l) 0 g (part (key a))). rewrite part_one_more.
      destruct (_ && _)%bool; lra. }
    apply Rle_antisym.
    - apply largest_le.
      + destruct (at_group e =? g)%nat; [apply Rle_trans with (2 := Rmax_r _ _)|]; apply largest_nonneg.
      + intros a _. rewrite part_one_more. pose proof (part_below_group key cost l 0 g (part (key a))) as Ha.
        destruct (at_group e =? g)%nat; cbn [andb]; [|lra].
        destruct (Nat.eqb_spec (at_part e) (part (key a))) as [->|_].
        * apply Rle_trans with (2 := Rmax_l _ _). lra.
        * apply Rle_trans with (2 := Rmax_r _ _). lra.
    - destruct (at_group e =? g)%nat eqn:Hg; [|exact Hle]. apply Rmax_lub; [|exact Hle].
      apply Rle_trans with (2 := part_below_group key cost (e :: l) 0 g (at_part e)).
      rewrite part_one_more, Hg, Nat.eqb_refl. cbn [andb]. lra.
  Qed.

  Lemma groups_one_more :
    groups key (e :: l) 0 =
    if in_dec Nat.eq_dec (at_group e) (groups key l 0) then groups key l 0 else at_group e :: groups key l 0.
  Proof.
    unfold groups. cbn [filter map key of_owner owner Nat.eqb group nodup].
    set (all := map (fun e0 : entry => at_group e0) (filter (fun _ : entry => true) l)).
    destruct (in_dec Nat.eq_dec (at_group e) all) as [H|H];
      destruct (in_dec Nat.eq_dec (at_group e) (nodup Nat.eq_dec all)) as [H'|H']; try reflexivity.
    - destruct H'. now apply nodup_In.
    - destruct H. now apply nodup_In in H'.
  Qed.

  Lemma absent_group : ~ In (at_group e) (groups key l 0) -> group_cost key cost l 0 (at_group e) = 0.
  Proof.
    intros H. apply Rle_antisym; [|apply largest_nonneg]. apply largest_le; [lra|]. intros a _.
    right. unfold part_cost. rewrite sum_filter. apply sum_zero. intros b Hb. rewrite of_part_key.
    destruct (Nat.eqb_spec (at_group b) (at_group e)) as [E|_]; [|reflexivity].
    destruct H. rewrite <- E. now apply (groups_in key l 0 b).
  Qed.

  Lemma owner_one_more :
    owner_cost key cost (e :: l) 0 =
    owner_cost key cost l 0 - group_cost key cost l 0 (at_group e) +
    Rmax (part_cost key cost l 0 (at_group e) (at_part e) + cost e) (group_cost key cost l 0 (at_group e)).
  Proof.
    unfold owner_cost. rewrite groups_one_more.
    set (new := Rmax (part_cost key cost l 0 (at_group e) (at_part e) + cost e) (group_cost key cost l 0 (at_group e))).
    assert (Hsum : sum (group_cost key cost (e :: l) 0) (groups key l 0) =
      sum (group_cost key cost l 0) (groups key l 0) +
      sum (fun g => if Nat.eq_dec (at_group e) g then new - group_cost key cost l 0 (at_group e) else 0) (groups key l 0)).
    { rewrite <- sum_plus. apply sum_ext. intros g _. rewrite group_one_more.
      destruct (Nat.eq_dec (at_group e) g) as [<-|Hne].
      - rewrite Nat.eqb_refl. fold new. lra.
      - apply Nat.eqb_neq in Hne as ->. lra. }
    destruct (in_dec Nat.eq_dec (at_group e) (groups key l 0)) as [H|H].
    - rewrite Hsum, (sum_one Nat.eq_dec (fun _ => new - group_cost key cost l 0 (at_group e))); [lra| |exact H].
      apply groups_nodup.
    - rewrite sum_cons, Hsum, group_one_more, Nat.eqb_refl. fold new.
      rewrite (sum_zero (fun g => if Nat.eq_dec (at_group e) g then _ else 0)).
      + rewrite (absent_group H). lra.
      + intros g Hg. destruct (Nat.eq_dec (at_group e) g) as [E|_]; [destruct H; now rewrite E|reflexivity].
  Qed.
End OneMore.

Lemma totals_hold entries :
  (forall e, In e entries -> (0 <= units e)%Z) ->
  let s := totals_of entries in
  (forall g p, IZR (parts s g p) = part_cost key cost entries 0 g p) /\
  (forall g, IZR (costliest s g) = group_cost key cost entries 0 g) /\ IZR (total s) = owner_cost key cost entries 0.
Proof.
  induction entries as [|e l IH]; intros H s.
  - repeat split; intros; cbn; unfold part_cost, group_cost, owner_cost, groups; cbn; lra.
  - destruct IH as (Hp & Hg & Ht); [intros; apply H; now right|]. fold (totals_of l) in *. unfold s.
    change (totals_of (e :: l)) with (add_entry e (totals_of l)). set (t := totals_of l) in *.
    assert (Hmax : IZR (group_would_cost t (at_group e) (at_part e) (units e)) =
      Rmax (part_cost key cost l 0 (at_group e) (at_part e) + cost e) (group_cost key cost l 0 (at_group e))).
    { unfold group_would_cost. rewrite <- Hp, <- Hg. unfold cost. rewrite <- plus_IZR.
      destruct (Z.max_spec (parts t (at_group e) (at_part e) + units e) (costliest t (at_group e))) as [[Hlt ->]|[Hle ->]].
      - rewrite Rmax_right; [reflexivity|]. apply IZR_le. lia.
      - rewrite Rmax_left; [reflexivity|]. now apply IZR_le. }
    repeat split.
    + intros g p. rewrite part_one_more. cbn [add_entry add parts].
      rewrite (Nat.eqb_sym g), (Nat.eqb_sym p).
      destruct (Nat.eqb_spec (at_group e) g) as [<-|_]; destruct (Nat.eqb_spec (at_part e) p) as [<-|_]; cbn [andb].
      * rewrite plus_IZR, Hp. unfold cost. lra.
      * rewrite Hp. lra.
      * rewrite Hp. lra.
      * rewrite Hp. lra.
    + intros g. rewrite (group_one_more e l H). cbn [add_entry add costliest]. rewrite (Nat.eqb_sym g).
      destruct (Nat.eqb_spec (at_group e) g) as [<-|_]; [exact Hmax|apply Hg].
    + rewrite (owner_one_more e l H). cbn [add_entry add total]. unfold would_be.
      rewrite plus_IZR, minus_IZR, Hmax, Hg, Ht. reflexivity.
Qed.

(* What the gate compares with its budget before it grants a line is the account of its lines with this one. *)
Theorem running_total_is_account (entries : list entry) (e : entry) :
  (forall a, In a (e :: entries) -> (0 <= units a)%Z) ->
  IZR (total (totals_of entries)) = account key cost entries /\
  IZR (would_be (totals_of entries) (at_group e) (at_part e) (units e)) = account key cost (e :: entries).
Proof.
  intros H. assert (Hno : forall l, largest (fun a => if (owner (key a) =? 0)%nat then 0 else owner_cost key cost l (owner
    (key a))) l = 0).
  { intros l. apply Rle_antisym; [|apply largest_nonneg]. apply largest_le; [lra|]. intros a _. cbn. lra. }
  unfold account. rewrite !Hno, !Rplus_0_r. split.
  - apply totals_hold. intros a Ha. apply H. now right.
  - exact (proj2 (proj2 (totals_hold (e :: entries) H))).
Qed.
